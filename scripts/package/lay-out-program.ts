import { cp, glob, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readInside } from '../../src/tools/component/jail/read-inside.ts';
import { compileSources } from './compile-sources.ts';
import { LAUNCHER } from './launcher.ts';
import { packageManifest, sdkManifest } from './manifests.ts';

/** A new tool is a copy of the template, and tool authors read the types. */
const COPIED = [
  'wit',
  'sdk/template',
  'src/engine/sql',
  'src/lifecycle/sql',
  'src/sandbox/inside',
  'src/store/sql',
  'migrations/baseline',
];
/** The transpiler and its WASI find them next to the program that they are bundled with. Their packages would bring 100 MB that we never load. */
const TRANSPILER =
  'node_modules/@bytecodealliance/{jco-transpile/vendor/*.wasm,preview2-shim/dist/io/worker-thread.bundle.js}';
const PREPARER = 'src/tools/component/install';
const SOURCES = ['sdk/src'];
const JAIL = 'src/tools/component/jail/inside';

/**
 * The compiled program with the files that it finds by their path, laid out as in the checkout, without the browser app.
 * `more` are further programs, by their path from the root.
 */
export async function layOutProgram(root: string, target: string, more: readonly string[] = []): Promise<void> {
  await compileSources(root, target, more);
  for (const folder of COPIED) await cp(path.join(root, folder), path.join(target, folder), { recursive: true });
  for (const folder of SOURCES)
    await cp(path.join(root, folder), path.join(target, folder), {
      recursive: true,
      filter: (file) => !file.endsWith('.test.ts'),
    });
  for await (const file of glob(TRANSPILER, { cwd: root }))
    await cp(path.join(root, file), path.join(target, PREPARER, path.basename(file)));
  await mkdir(path.join(target, JAIL), { recursive: true });
  for (const [name, text] of Object.entries(readInside())) await writeFile(path.join(target, JAIL, `${name}.js`), text);
  await mkdir(path.join(target, 'bin'), { recursive: true });
  await writeFile(path.join(target, 'bin/reborn.js'), LAUNCHER, { mode: 0o755 });
  await writeJson(path.join(target, 'package.json'), await packageManifest(root));
  await writeJson(path.join(target, 'sdk/tool-package.json'), await sdkManifest(root));
}

export function writeJson(file: string, value: object): Promise<void> {
  return writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
