import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { componentize } from 'componentize-qjs';
import { bundleTool } from './bundle-tool.ts';
import { provideSdk } from './link-sdk.ts';
import { readToolName } from './tool-folder.ts';

export type BuiltTool = { readonly name: string; readonly path: string; readonly bytes: number };

/** Builds `dist/<name>.wasm` from `src/tool.ts`. */
export async function buildTool(folder: string): Promise<BuiltTool> {
  const root = resolve(folder);
  const name = await readToolName(root);
  await provideSdk(root);
  const component = await toComponent(await bundleTool(root));

  const path = join(root, 'dist', `${name}.wasm`);
  await mkdir(join(root, 'dist'), { recursive: true });
  await writeFile(path, component);
  return { name, path, bytes: component.length };
}

/** `sync`: the world has no async functions, and the engine without them is smaller and runs everywhere. */
async function toComponent(source: string): Promise<Buffer> {
  const witPath = join(import.meta.dirname, '../../wit');
  const { component } = await componentize({ witPath, world: 'tool', jsSource: source, sync: true, optSize: true });
  return component;
}
