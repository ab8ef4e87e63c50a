import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, open, readFile, readlink, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export type Postmaster = { readonly host: string; readonly port: number; readonly status: string };

/** The live server that owns `data`, whoever started it. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const lines = (await readFile(pidFile(data), 'utf8').catch(() => '')).split('\n').map((line) => line.trim());
  const [pid, , , port, socketFolder, address, , status = ''] = lines;
  if (!pid || !(await isPostmaster(Number(pid), data))) return undefined;

  const host = socketFolder ? path.resolve(data, socketFolder) : (address ?? '');
  return { host, port: Number(port), status };
}

/**
 * A killed server leaves its number behind, and when another process has got that number PostgreSQL refuses to start.
 * The file must stay, for it also leads to the shared memory that orphaned backends may still hold; but it may name
 * us, as PostgreSQL knows that its own parent is no server. Only after `findPostmaster` found none.
 */
export async function disownPostmaster(data: string, socketFolder: string): Promise<void> {
  if (process.platform === 'win32') return; // it asks the process itself there
  if (existsSync(pidFile(data))) await nameUs(pidFile(data));
  await rm(path.join(socketFolder, '.s.PGSQL.5432.lock'), { force: true });
}

async function nameUs(file: string): Promise<void> {
  // Root follows no link that the server's user may have put here.
  await using handle = await open(file, constants.O_RDWR | constants.O_NOFOLLOW);
  const left = await handle.readFile('utf8');
  if (!/^\d/.test(left)) return rm(file); // a power cut emptied it, and PostgreSQL does not start over that either

  const { bytesWritten } = await handle.write(left.replace(/^\d+/, String(process.pid)), 0);
  await handle.truncate(bytesWritten);
}

function pidFile(data: string): string {
  return path.join(data, 'postmaster.pid');
}

/** The number alone proves nothing: it may have been given to another process since. */
async function isPostmaster(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux')
    return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === (await realpath(data));
  if (process.platform === 'win32') return isRunning(pid);

  const listed = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'comm=']).catch(() => undefined);
  return listed?.stdout.trim().endsWith('postgres') ?? false;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
