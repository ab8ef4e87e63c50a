import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { checkToolName } from './tool-folder.ts';

const SDK = join(import.meta.dirname, '..');

/** Creates a folder with a tool that can be tested and built right away. */
export async function newTool(folder: string, name: string): Promise<void> {
  checkToolName(name);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty. Choose a folder that doesn't exist yet.`);

  const root = await realpath(folder);
  await cp(join(SDK, 'template'), root, { recursive: true });
  await writeFile(join(root, 'package.json'), `${JSON.stringify(await manifest(root, name), undefined, 2)}\n`);
  await writeFile(join(root, '.gitignore'), 'node_modules/\ndist/\n');
  await linkSdk(root);
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

/** In a checkout the SDK is linked; an installed package uses the same version from the registry. */
async function sdkVersion(root: string): Promise<string> {
  if (isCheckout()) return `file:${relative(root, SDK).split(sep).join('/')}`;

  const { version } = JSON.parse(await readFile(PUBLISHED_MANIFEST, 'utf8')) as { version: string };
  return version;
}

/** Does what `npm install` would do, so that a new tool can be tested and built offline. */
async function linkSdk(root: string): Promise<void> {
  const link = join(root, 'node_modules/@reborn-agent/tool');
  await mkdir(dirname(link), { recursive: true });
  if (isCheckout()) return symlink(SDK, link, 'junction');

  await mkdir(link);
  await copyFile(PUBLISHED_MANIFEST, join(link, 'package.json'));
  await symlink(join(SDK, 'src'), join(link, 'src'), 'junction');
}

/** A package can't contain a second package.json, so in the published package it has another name. */
const PUBLISHED_MANIFEST = join(SDK, 'tool-package.json');
const isCheckout = (): boolean => !existsSync(PUBLISHED_MANIFEST);
