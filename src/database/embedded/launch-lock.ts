import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../database-unavailable.ts';

const PATIENCE_MILLISECONDS = 180_000;
const SQLITE_BUSY = 5;

/**
 * Runs `work` while no other process starts or stops the server.
 * SQLite because it takes the operating system's file lock, which Node cannot: it falls with its process, even killed.
 */
export async function withLaunchLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const lock = await acquire(file);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function acquire(file: string): Promise<DatabaseSync> {
  const deadline = Date.now() + PATIENCE_MILLISECONDS;
  const lock = await openLock(file);
  while (!tryLock(lock, file)) {
    if (Date.now() > deadline) {
      lock.close();
      throw new DatabaseUnavailable(`Another process holds ${file} for too long. Stop it, then try again.`);
    }
    await pause(20);
  }
  return lock;
}

async function openLock(file: string): Promise<DatabaseSync> {
  try {
    await (await open(file, 'a', 0o600)).close(); // closed to others, who could otherwise hold it for ever
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw new DatabaseUnavailable(`Cannot open ${file}. Make it and its folder yours to write.`, { cause: error });
  }
}

function tryLock(lock: DatabaseSync, file: string): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    lock.close();
    throw new DatabaseUnavailable(`Cannot lock ${file}. Use a home folder on a local disk.`, { cause: error });
  }
}
