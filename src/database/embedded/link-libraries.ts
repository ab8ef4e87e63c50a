import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';

type Link = { source: string; target: string };

/** Packages hold no symbolic links: an install script makes them, and many people forbid install scripts. */
export async function linkLibraries(native: string): Promise<void> {
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
