import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, mkdtemp, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { waitFor } from './wait-for.ts';

export const ROOT = path.join(import.meta.dirname, '../..');
const CACHE = path.join(ROOT, 'node_modules/.cache/reborn-tests');
const DAY_MS = 24 * 60 * 60 * 1000;
/** A process that has not filled a folder by then was killed. */
const FILLED_MS = 180_000;

/**
 * A folder that is filled once for each `hash` of what it is made from. Of several processes that need it, one fills it and the
 * others wait. Folders of earlier states are removed after a day.
 */
export async function cachedFolder(
  name: string,
  hash: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = path.join(CACHE, `${name}-${hash}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const lock = `${folder}.lock`;
  let isMine = false;
  const look = async () => existsSync(folder) || (isMine = await takeLock(lock));
  await waitFor(`${name} to be filled`, look, 2 * FILLED_MS);
  if (!isMine) return folder;
  try {
    if (!existsSync(folder)) await fillNew(folder, fill);
    await removeOld(name);
  } finally {
    await rmdir(lock);
  }
  return folder;
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const since = (await stat(lock).catch(() => undefined))?.mtimeMs ?? Date.now();
    if (since < Date.now() - FILLED_MS) await rmdir(lock).catch(() => {}); // or another process has removed it
    return false;
  }
}

async function fillNew(folder: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await fill(unfinished);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function removeOld(name: string): Promise<void> {
  for await (const folder of glob(path.join(CACHE, `${name}-*`)))
    if ((await stat(folder)).mtimeMs < Date.now() - DAY_MS) await rm(folder, { recursive: true, force: true });
}

/** A hash of these files of the project, with their names. */
export async function hashOfFiles(patterns: readonly string[], exclude: readonly string[] = []): Promise<string> {
  const entries = await Array.fromAsync(glob(patterns, { cwd: ROOT, exclude, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const sum = createHash('sha256');
  for (const file of files.toSorted()) sum.update(path.relative(ROOT, file)).update(await readFile(file));
  return sum.digest('hex').slice(0, 16);
}
