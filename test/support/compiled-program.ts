import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { layOutProgram } from '../../scripts/package/lay-out-program.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const CACHE = path.join(ROOT, 'node_modules/.cache/reborn-tests');
const REPLICA = 'test/faults/replica';
const SOURCES = ['{src,migrations,sdk,wit,scripts/package}/**/*', 'test/{faults,support}/*.ts', 'package-lock.json'];
const DAY_MS = 24 * 60 * 60 * 1000;

let compiled: Promise<string> | undefined;

/**
 * The words that start the command, or another program, compiled as in the package. It is compiled once for each state of
 * the sources: a process that loads them one by one needs three times as long to start.
 */
export async function compiledProgram(
  program: 'bin/reborn' | typeof REPLICA = 'bin/reborn',
): Promise<[string, string]> {
  return [process.execPath, path.join(await (compiled ??= findCompiled()), `${program}.js`)];
}

/** Several processes may compile at the same time; all but the first discard their result. */
async function findCompiled(): Promise<string> {
  const folder = path.join(CACHE, `program-${await hashOfSources()}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  await removeOld();
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await layOutProgram(ROOT, unfinished, [`${REPLICA}.ts`]);
    await symlink(path.join(ROOT, 'web'), path.join(unfinished, 'web'));
    await rename(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

async function removeOld(): Promise<void> {
  for await (const folder of glob(path.join(CACHE, 'program-*')))
    if ((await stat(folder)).mtimeMs < Date.now() - DAY_MS) await rm(folder, { recursive: true, force: true });
}

async function hashOfSources(): Promise<string> {
  const exclude = ['**/node_modules/**', 'src/**/*.test.ts'];
  const entries = await Array.fromAsync(glob(SOURCES, { cwd: ROOT, exclude, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const sum = createHash('sha256');
  for (const file of files.toSorted()) sum.update(path.relative(ROOT, file)).update(await readFile(file));
  return sum.digest('hex').slice(0, 16);
}
