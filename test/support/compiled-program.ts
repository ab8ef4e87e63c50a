import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { layOutProgram } from '../../scripts/package/lay-out-program.ts';
import { cachedFolder, hashOfFiles, ROOT } from './cached-folder.ts';

const REPLICA = 'test/faults/replica';
const SOURCES = [
  '{src,migrations,sdk,wit,scripts/package}/**/*',
  'test/{faults,support}/*.ts',
  'test/provenance/personal-tools.ts',
  'package-lock.json',
];
const EXCLUDED = ['**/node_modules/**', 'src/**/*.test.ts'];

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

async function findCompiled(): Promise<string> {
  return cachedFolder('program', await hashOfFiles(SOURCES, EXCLUDED), async (folder) => {
    await layOutProgram(ROOT, folder, [`${REPLICA}.ts`]);
    await symlink(path.join(ROOT, 'web'), path.join(folder, 'web'));
  });
}
