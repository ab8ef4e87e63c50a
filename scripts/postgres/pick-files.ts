import { execFileSync } from 'node:child_process';
import { copyFile, glob, mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';

const WANTED = '{bin/{postgres,initdb,pg_ctl},lib/**,share/**}';
/** What only developers and other clients need: static libraries, headers' companions, embedded SQL, manuals. */
const UNWANTED = /\.a$|^lib\/(pkgconfig|libecpg|libpgtypes)|\/pgxs\/|^share\/(doc|man)\//;
/** A library is installed as libpq.so.5.18, with links from libpq.so.5, by which programs ask for it, and libpq.so. */
const ASKED_FOR = /\.so\.\d+$|\.\d+\.dylib$/;

/** Copies what a server needs. A package for npm has no links, so each library is there once, by the name that is asked for. */
export async function pickFiles(installed: string, native: string): Promise<void> {
  for (const file of await listWanted(installed)) {
    const copy = path.join(native, file);
    await mkdir(path.dirname(copy), { recursive: true });
    await copyFile(await realpath(path.join(installed, file)), copy);
    if (/^bin\/|\.so|\.dylib$/.test(file)) execFileSync('strip', ['-x', copy], { stdio: 'inherit' });
  }
}

export async function listWanted(installed: string): Promise<string[]> {
  const found = await Array.fromAsync(glob(WANTED, { cwd: installed, withFileTypes: true }));
  const files = found.filter((entry) => !entry.isDirectory());
  const links = files.filter((entry) => entry.isSymbolicLink());
  const linked = await Promise.all(links.map((entry) => realpath(path.join(entry.parentPath, entry.name))));
  return files
    .filter((entry) =>
      entry.isSymbolicLink() ? ASKED_FOR.test(entry.name) : !linked.includes(path.join(entry.parentPath, entry.name)),
    )
    .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)))
    .filter((file) => !UNWANTED.test(file))
    .toSorted();
}
