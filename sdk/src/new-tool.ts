import { cp, mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { provideSdk, sdkVersion } from './link-sdk.ts';
import { checkToolName } from './tool-folder.ts';

const TEMPLATE = join(import.meta.dirname, '../template');

/** Creates a folder with a tool that can be tested and built right away. */
export async function newTool(folder: string, name: string): Promise<void> {
  checkToolName(name);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty. Choose a folder that doesn't exist yet.`);

  const root = await realpath(folder);
  await cp(TEMPLATE, root, { recursive: true });
  await writeFile(join(root, 'package.json'), `${JSON.stringify(await manifest(root, name), undefined, 2)}\n`);
  await writeFile(join(root, '.gitignore'), 'node_modules/\ndist/\n');
  await provideSdk(root);
}

async function manifest(root: string, name: string) {
  return {
    name: name.toLowerCase(),
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { test: 'reborn tool test', build: 'reborn tool build' },
    dependencies: { '@reborn-agent/tool': await sdkVersion(root) },
  };
}
