import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import { findRuntime } from './find-runtime.ts';
import { prepareRuntime } from './prepare-runtime.ts';
import { isOpenTo, type ServerUser } from './server-user.ts';

/** The major version of the data folder. Programs of another one can't read it. */
const MAJOR = 18;
const PROGRAMS = ['postgres', 'initdb', 'pg_ctl'];

/** Where Debian, Red Hat, Homebrew, Postgres.app, Alpine and others install PostgreSQL. */
const SYSTEM_FOLDERS = [
  `/usr/lib/postgresql/${MAJOR}`,
  `/usr/pgsql-${MAJOR}`,
  `/opt/homebrew/opt/postgresql@${MAJOR}`,
  `/usr/local/opt/postgresql@${MAJOR}`,
  `/Applications/Postgres.app/Contents/Versions/${MAJOR}`,
  `/usr/libexec/postgresql${MAJOR}`,
  '/usr/local/pgsql',
  '/usr/local',
  '/usr',
];

type Place = { readonly area: string; readonly user: ServerUser | undefined };

/**
 * The programs to run the server with: from the package or, if it has the same major version and a newer release, the
 * PostgreSQL of the system. The system gets security releases within days, the package within months.
 */
export async function chooseRuntime(
  { area, user }: Place,
  { findPackaged = findRuntime, systemFolders = SYSTEM_FOLDERS } = {},
): Promise<string> {
  const system = await findNewest(systemFolders, user);
  try {
    const packaged = findPackaged();
    if (system && system.minor > (await packagedMinor(packaged))) return system.folder;
    return await prepareRuntime(packaged, area, user);
  } catch (error) {
    if (system && error instanceof DatabaseUnavailable) return system.folder;
    throw error;
  }
}

type SystemRuntime = { readonly folder: string; readonly minor: number };

async function findNewest(
  folders: readonly string[],
  user: ServerUser | undefined,
): Promise<SystemRuntime | undefined> {
  const found: SystemRuntime[] = [];
  for (const folder of folders) {
    const programs = PROGRAMS.map((program) => path.join(folder, 'bin', program));
    const minor = programs.every((program) => existsSync(program)) ? await readMinor(programs, user) : undefined;
    if (minor !== undefined) found.push({ folder, minor });
  }
  return found.toSorted((one, other) => other.minor - one.minor)[0];
}

/** Runs as the server's user, who may be allowed less than this process. */
async function readMinor(programs: readonly string[], user: ServerUser | undefined): Promise<number | undefined> {
  try {
    if (user) for (const program of programs) if (!(await isOpenTo(user, program))) return undefined;
    const { stdout } = await promisify(execFile)(programs[0] ?? '', ['--version'], { env: {}, cwd: '/', ...user });
    const [, major, minor] = /\(PostgreSQL\) (\d+)\.(\d+)/.exec(stdout) ?? [];
    return Number(major) === MAJOR ? Number(minor) : undefined;
  } catch {
    return undefined; // not a program that runs here
  }
}

async function packagedMinor(native: string): Promise<number> {
  const manifest: unknown = JSON.parse(await readFile(path.join(native, '../package.json'), 'utf8'));
  const [, minor] = /^\d+\.(\d+)/.exec(String((manifest as { version: unknown }).version)) ?? [];
  return Number(minor);
}
