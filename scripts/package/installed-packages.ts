import { readFile } from 'node:fs/promises';
import path from 'node:path';

export type InstalledPackage = {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  readonly integrity: string | undefined;
};

type Locked = {
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

/** Every direct and indirect dependency of the packages in `folders`, except workspaces; '' is the root package. */
export async function listInstalled(root: string, folders: readonly string[]): Promise<InstalledPackage[]> {
  const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const found = new Map<string, InstalledPackage>();
  const visit = (from: string): void => {
    const { dependencies, optionalDependencies, peerDependencies } = packages[from] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const folder = resolve(packages, from, name);
      const locked = folder === undefined || found.has(folder) ? undefined : packages[folder];
      if (!folder || !locked) continue; // an optional peer that is not installed
      if (locked.link) {
        visit(locked.resolved ?? folder);
        continue;
      }
      const { version, license, integrity } = locked;
      found.set(folder, { folder, name, version, license, integrity });
      visit(folder);
    }
  };
  for (const start of folders) visit(start);
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Where Node would find it: in the nearest node_modules upwards. */
function resolve(packages: Record<string, Locked>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '') {
    const candidate = path.posix.join(folder, 'node_modules', name);
    if (candidate in packages) return candidate;
    if (folder === '') return undefined;
  }
}
