import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';

const ROOT = path.join(import.meta.dirname, '..');
const SOURCES = ['{web,client}/**/*', 'package-lock.json'];
const EXCLUDED = ['**/node_modules', '**/dist'];
const NOTE = '.vite/sources';

/** Notes in a finished build which sources it was made from. */
export function noteSources(): Plugin {
  return {
    name: 'note-sources',
    apply: 'build',
    writeBundle: {
      order: 'post',
      sequential: true, // after all other files are written
      handler: ({ dir = '' }) => writeNote(dir),
    },
  };
}

export async function writeNote(folder: string): Promise<void> {
  await writeFile(path.join(folder, NOTE), await hashSources());
}

/** Whether the folder has a finished build of the sources as they are now. */
export async function isCurrentBuild(folder: string): Promise<boolean> {
  const note = path.join(folder, NOTE);
  return existsSync(note) && (await readFile(note, 'utf8')) === (await hashSources());
}

async function hashSources(): Promise<string> {
  const entries = await Array.fromAsync(glob(SOURCES, { cwd: ROOT, exclude: EXCLUDED, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const sum = createHash('sha256');
  for (const file of files.toSorted()) sum.update(path.relative(ROOT, file)).update(await readFile(file));
  return sum.digest('hex');
}
