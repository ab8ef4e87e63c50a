import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
/** The files that define a database and its schema. */
const INGREDIENTS = ['migrations/*.ts', 'src/database/embedded/*.ts', 'package-lock.json'];

let hash: Promise<string> | undefined;

/** Changes whenever a prepared database would differ from a new one. */
export function hashOfSchema(): Promise<string> {
  return (hash ??= compute());
}

async function compute(): Promise<string> {
  const files = (await Array.fromAsync(glob(INGREDIENTS, { cwd: ROOT }))).toSorted();
  const sum = createHash('sha256');
  for (const file of files) sum.update(file).update(await readFile(path.join(ROOT, file)));
  return sum.digest('hex').slice(0, 16);
}
