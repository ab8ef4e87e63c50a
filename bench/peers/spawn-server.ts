import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import path from 'node:path';
import { QUIET } from './install.ts';

const started: ChildProcess[] = [];
process.once('exit', () => started.forEach((child) => child.kill('SIGKILL'))); // after a failure, some still run

/** Starts a server with Node. Its log goes to a file in `folder`. */
export function spawnServer(
  [program, ...words]: readonly [string, ...string[]],
  { folder, env, cwd = folder }: { folder: string; env: Record<string, string>; cwd?: string },
): ChildProcess & { readonly pid: number } {
  const log = openSync(path.join(folder, 'server.log'), 'a');
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: folder, ...QUIET, ...env },
    stdio: ['ignore', log, log],
  });
  if (child.pid === undefined) throw new Error(`${program} did not start.`);
  started.push(child);
  return child as ChildProcess & { readonly pid: number };
}
