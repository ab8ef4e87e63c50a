import { readFile } from 'node:fs/promises';
import path from 'node:path';

export type InstalledPackage = {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  readonly integrity: string | undefined;
  /** The folders of the packages that it needs itself. */
  readonly needs: readonly string[];
};

type Locked = {
  /** Only where it differs from the folder's. */
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
  /** A workspace of this repository. */
  readonly link?: boolean;
  readonly resolved?: string;
};

type Lock = Record<string, Locked>;

const MODULES = 'node_modules/';

/** The manifests of these packages name no licence: khroma has its text, and the others are builds of a package that has one. */
const LICENSES: Readonly<Record<string, string>> = {
  khroma: 'MIT',
  '@bytecodealliance/jco-node-fs-linux-arm64-musl': 'Apache-2.0 WITH LLVM-exception',
  '@bytecodealliance/jco-node-fs-win32-arm64-msvc': 'Apache-2.0 WITH LLVM-exception',
  '@bytecodealliance/jco-node-fs-win32-x64-msvc': 'Apache-2.0 WITH LLVM-exception',
};

/** Every direct and indirect dependency of the packages in `folders`, except workspaces; '' is the root package. */
export async function listInstalled(root: string, folders: readonly string[]): Promise<InstalledPackage[]> {
  const lock = await readLock(root);
  const found = new Map<string, InstalledPackage>();
  const add = (folder: string): void => {
    const locked = lock[folder];
    if (!locked || found.has(folder)) return;
    const { name = folder.slice(folder.lastIndexOf(MODULES) + MODULES.length) } = locked;
    const { version, license = LICENSES[name], integrity } = locked;
    const needs = findNeeds(lock, folder);
    found.set(folder, { folder, name, version, license, integrity, needs });
    needs.forEach(add);
  };
  for (const start of folders) findNeeds(lock, start).forEach(add);
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The folders of the packages that the ones in `folders` need themselves. */
export async function listDirect(root: string, folders: readonly string[]): Promise<string[]> {
  const lock = await readLock(root);
  return [...new Set(folders.flatMap((folder) => findNeeds(lock, folder)))];
}

async function readLock(root: string): Promise<Lock> {
  const text = await readFile(path.join(root, 'package-lock.json'), 'utf8');
  return (JSON.parse(text) as { packages: Lock }).packages;
}

/** A workspace stands for the packages that it needs. An optional peer may not be installed. */
function findNeeds(lock: Lock, from: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = lock[from] ?? {};
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).flatMap((name) => {
    const folder = resolve(lock, from, name);
    if (folder === undefined) return [];
    return lock[folder]?.link ? findNeeds(lock, lock[folder].resolved ?? folder) : [folder];
  });
}

/** Where Node would find it: in the nearest node_modules upwards. */
function resolve(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '') {
    const candidate = path.posix.join(folder, 'node_modules', name);
    if (candidate in lock) return candidate;
    if (folder === '') return undefined;
  }
}
