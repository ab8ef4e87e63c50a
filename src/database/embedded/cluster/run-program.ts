import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import type { Server } from './server.ts';

/** Runs a PostgreSQL program in `folder`, as the server's user, detached from the terminal's signals. */
export async function runProgram(server: Server, program: string, words: string[], folder: string): Promise<void> {
  const child = spawn(path.join(server.runtime, 'bin', program), words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(process.platform === 'win32'
      ? { windowsHide: true }
      : { detached: true, env: { TZ: 'UTC', LC_ALL: 'C' }, ...server.user }),
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]);
  const [code, , complaint] = await ended.catch((error: unknown) => [null, '', String(error)] as const);
  if (code === 0) return;

  throw new DatabaseUnavailable(
    `The built-in PostgreSQL can't run. Fix the problem below, or set DATABASE_URL.\n${complaint.trim() || `${program}: ${code}`}`,
  );
}
