import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { componentEmbed, componentNew } from '@bytecodealliance/jco-transpile/wasm-tools';

const FOLDER = import.meta.dirname;

if (import.meta.main) console.log(await buildShout());

/** Builds `dist/shout.wasm`: clang compiles the C code, then the module gets its world and is wrapped as a component. */
export async function buildShout(): Promise<string> {
  const path = join(FOLDER, 'dist/shout.wasm');
  await mkdir(join(FOLDER, 'dist'), { recursive: true });
  await writeFile(path, await toComponent(await compile()));
  return path;
}

async function compile(): Promise<Uint8Array> {
  const module = join(FOLDER, 'dist/shout.core.wasm');
  const options = [
    '--target=wasm32',
    '-Os',
    '-nostdlib',
    '-ffreestanding',
    '-fno-builtin',
    '-Wl,--no-entry',
    '-Wl,--strip-all',
  ];
  const sources = ['memory.c', 'shout.c'].map((name) => join(FOLDER, name));
  await promisify(execFile)('clang', [...options, '-o', module, ...sources]).catch(explain);
  return await readFile(module);
}

function explain(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw new Error('clang is missing. On Debian: apt-get install clang lld', { cause: error });
}

async function toComponent(module: Uint8Array): Promise<Uint8Array> {
  const witSource = await readFile(join(FOLDER, '../../../wit/tool.wit'), 'utf8');
  return await componentNew(await componentEmbed({ binary: module, witSource, world: 'tool' }));
}
