import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Server } from '../cluster/server.ts';
import { isOpenTo, type ServerUser } from './server-user.ts';

const PREFIX = 'postgres-runtime-';

/** The installed `native` folder if the server can run from it, or else a copy in `area`. */
export async function prepareRuntime(native: string, area: string, user: ServerUser | undefined): Promise<string> {
  if (user && !(await isOpenTo(user, path.join(native, 'bin', 'postgres')))) return copyRuntime(native, area);

  try {
    await linkLibraries(native);
    return native;
  } catch {
    return copyRuntime(native, area); // installed read-only by another user, without its install scripts
  }
}

/** Removes copies of other versions and unfinished copies. Call only while no server runs from them. */
export async function removeOldRuntimes(server: Server): Promise<void> {
  const area = path.dirname(server.data);
  for (const entry of await readdir(area)) {
    const folder = path.join(area, entry);
    if (entry.startsWith(PREFIX) && folder !== server.runtime) await rm(folder, { recursive: true, force: true });
  }
}

async function copyRuntime(native: string, area: string): Promise<string> {
  const runtime = path.join(area, PREFIX + (await packageVersion(native)));
  if (existsSync(runtime)) return runtime;

  const unfinished = await mkdtemp(path.join(area, `${PREFIX}new-`));
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(unfinished);
  await openToAll(unfinished);
  await rename(unfinished, runtime);
  return runtime;
}

async function packageVersion(native: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(path.join(native, '../package.json'), 'utf8'));
  return String((manifest as { version: unknown }).version);
}

async function openToAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const own = entries.filter((entry) => !entry.isSymbolicLink());
  await Promise.all(own.map((entry) => chmod(path.join(entry.parentPath, entry.name), 0o755)));
  await chmod(folder, 0o755);
}

type Link = { source: string; target: string };

/** Packages can't contain symbolic links: an install script creates them, and many users disable install scripts. */
async function linkLibraries(native: string): Promise<void> {
  for (const { source, target } of await readLinks(native)) {
    const link = path.join(native, path.relative('native', target));
    if (existsSync(link)) continue;

    await symlink(path.relative(path.dirname(target), source), link).catch(ignoreExisting);
  }
}

async function readLinks(native: string): Promise<Link[]> {
  const file = path.join(native, 'pg-symlinks.json');
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Link[]) : [];
}

/** Another process was faster. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
}
