import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

const SDK = join(import.meta.dirname, '..');
const NAME = '@reborn-agent/tool';

/** In a checkout the SDK is linked; an installed package uses the same version from the registry. */
export async function sdkVersion(root: string): Promise<string> {
  if (isCheckout()) return `file:${relative(root, SDK).split(sep).join('/')}`;

  const { version } = JSON.parse(await readFile(PUBLISHED_MANIFEST, 'utf8')) as { version: string };
  return version;
}

/** Gives a tool the SDK that belongs to this program if it has none, as after a `git clone`: nothing has to be installed. */
export async function provideSdk(root: string): Promise<void> {
  if (!hasSdk(root)) await linkSdk(root);
}

function hasSdk(root: string): boolean {
  try {
    createRequire(join(root, 'package.json')).resolve(NAME);
    return true;
  } catch {
    return false;
  }
}

/** Does what `npm install` would do, so that a tool can be tested and built offline. */
async function linkSdk(root: string): Promise<void> {
  const link = join(root, 'node_modules', NAME);
  await rm(link, { recursive: true, force: true }); // it may lead to a folder that is gone
  await mkdir(dirname(link), { recursive: true });
  if (isCheckout()) return symlink(SDK, link, 'junction');

  await mkdir(link);
  await copyFile(PUBLISHED_MANIFEST, join(link, 'package.json'));
  await symlink(join(SDK, 'src'), join(link, 'src'), 'junction');
}

/** A package can't contain a second package.json, so in the published package it has another name. */
const PUBLISHED_MANIFEST = join(SDK, 'tool-package.json');
const isCheckout = (): boolean => !existsSync(PUBLISHED_MANIFEST);
