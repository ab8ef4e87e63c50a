import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CodeBlock } from './code-blocks.ts';

/**
 * Runs the blocks of a page in order in one shell, as a reader would, in a separate folder.
 * Returns the error and its location, or undefined.
 */
export async function runPage(
  blocks: readonly CodeBlock[],
  { folder, env }: { folder: string; env: Readonly<Record<string, string>> },
): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true });
  const script = blocks.map((block) => `${toShell(block, folder)}\n`).join('');
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const outputs = (child.stdio.slice(1) as Readable[]).map((stream) => text(stream));
  const [[status], stdout, stderr, started] = await Promise.all([once(child, 'close'), ...outputs]);
  return status === 0 ? undefined : `${started?.trim().split('\n').at(-1)} ended with ${status}:\n${stderr}${stdout}`;
}

/** Each block first prints its location, so that a failure can name it. */
function toShell({ page, line, language, code, note }: CodeBlock, folder: string): string {
  const announced = `echo '${page}:${line}' >&3\n`;
  if (!note && (language === 'sh' || language === 'bash')) return announced + code;

  const file = path.join(folder, `block-${line}.${language}`);
  writeFileSync(file, code);
  return announced + (note?.kind === 'file' ? saveAs(file, path.join(folder, note.text)) : `node '${file}'`);
}

const saveAs = (file: string, name: string) => `mkdir -p '${path.dirname(name)}' && cp '${file}' '${name}'`;
