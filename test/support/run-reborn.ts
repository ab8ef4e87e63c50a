import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { BARE_ENV } from './bare-env.ts';
import { compiledProgram } from './compiled-program.ts';

/** Runs the command as a user does, with only the PATH of this environment. */
export async function runReborn(
  args: readonly string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [node, program] = await compiledProgram();
  const child = spawn(node, [program, ...args], { env: { ...BARE_ENV, ...env } });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, stdout, stderr };
}
