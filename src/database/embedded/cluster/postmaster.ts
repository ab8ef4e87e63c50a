import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, open, readFile, readlink, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export type Postmaster = { readonly host: string; readonly port: number; readonly status: string };

/** The running server that owns `data`, no matter which process started it. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const lines = (await readFile(pidFile(data), 'utf8').catch(() => '')).split('\n').map((line) => line.trim());
  const [pid, , , port, socketFolder, address, , status = ''] = lines;
  if (!pid || !(await isPostmaster(Number(pid), data))) return undefined;

  const host = socketFolder ? path.resolve(data, socketFolder) : (address ?? '');
  return { host, port: Number(port), status };
}

/**
 * A killed server leaves its process ID in postmaster.pid, and if another process now has that ID, PostgreSQL refuses to
 * start. The file must stay, because it also leads to the shared memory that orphaned backends may hold. But it may name
 * this process: PostgreSQL knows that its own parent is not a server. Call only after `findPostmaster` found none.
 */
export async function disownPostmaster(data: string, socketFolder: string): Promise<void> {
  if (process.platform === 'win32') return; // PostgreSQL checks the process itself there
  if (existsSync(pidFile(data))) await nameUs(pidFile(data));
  await rm(path.join(socketFolder, '.s.PGSQL.5432.lock'), { force: true });
}

async function nameUs(file: string): Promise<void> {
  // Root must not follow a link that the server's user may have created here.
  await using handle = await open(file, constants.O_RDWR | constants.O_NOFOLLOW);
  const left = await handle.readFile('utf8');
  if (!/^\d/.test(left)) return rm(file); // emptied by a power cut, which also keeps PostgreSQL from starting

  const { bytesWritten } = await handle.write(left.replace(/^\d+/, String(process.pid)), 0);
  await handle.truncate(bytesWritten);
}

function pidFile(data: string): string {
  return path.join(data, 'postmaster.pid');
}

/** The process ID alone proves nothing: another process may have it by now. */
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
