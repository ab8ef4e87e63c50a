import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../database-unavailable.ts';

const TIMEOUT_MS = 180_000;
const SQLITE_BUSY = 5;

/**
 * Runs `work` while no other process starts or stops the server.
 * Uses SQLite for the operating system's file lock, which Node has no API for: it is released even if the process is killed.
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
  const deadline = Date.now() + TIMEOUT_MS;
  const lock = await openLock(file);
  while (!tryLock(lock, file)) {
    if (Date.now() > deadline) {
      lock.close();
      throw new DatabaseUnavailable(`Another process has locked ${file} for too long. Stop it, then try again.`);
    }
    await pause(20);
  }
  return lock;
}

async function openLock(file: string): Promise<DatabaseSync> {
  try {
    await (await open(file, 'a', 0o600)).close(); // not accessible to other users, who could otherwise block it
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw new DatabaseUnavailable(`Cannot open ${file}. Allow this user to write to it and its folder.`, {
      cause: error,
    });
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
