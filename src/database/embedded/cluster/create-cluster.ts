import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import { runProgram } from './run-program.ts';
import type { Server } from './server.ts';

/** For a single machine. They are written to postgresql.conf, where the user may change them. */
const SETTINGS = {
  shared_buffers: '128MB',
  max_connections: '200',
  max_wal_size: '512MB',
  jit: 'off',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic', // statements contain user data
};

/**
 * Creates the data folder, once. It gets its final name only when it is complete, so the remains of a killed first start
 * are never taken for data. Each attempt uses a new folder, because an orphaned initdb may still write.
 */
export async function createCluster(server: Server, log: (message: string) => void): Promise<void> {
  if (existsSync(path.join(server.data, 'PG_VERSION'))) return;

  log(`Preparing a database in ${server.data}`);
  await removeIfEmpty(server.data);
  await removeUnfinished(server.data);
  await writePassword(server);

  const unfinished = await mkdtemp(`${server.data}.new-`);
  if (server.user) await chown(unfinished, server.user.uid, server.user.gid);
  await runProgram(server, 'initdb', initdbArguments(server, unfinished), path.dirname(server.data));
  await rename(unfinished, server.data);
}

/**
 * A password although the socket's folder is closed to other users: Windows has no such folder, and under root the server
 * runs as a user that other programs may share. Anyone who can read this file can read the data as well.
 */
async function writePassword({ passwordFile, user }: Server): Promise<void> {
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
  if (user) await chown(passwordFile, user.uid, user.gid);
}

function initdbArguments(server: Server, folder: string): string[] {
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${server.passwordFile}`];
  const locale = ['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  return ['-D', folder, ...access, ...locale, ...settings];
}

async function removeIfEmpty(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  await rmdir(folder).catch((error: unknown) => {
    throw new DatabaseUnavailable(
      `${folder} is not empty, but contains no PostgreSQL data. Move it away, or set DATABASE_URL.`,
      { cause: error },
    );
  });
}

async function removeUnfinished(data: string): Promise<void> {
  const area = path.dirname(data);
  const unfinished = (await readdir(area)).filter((entry) => entry.startsWith(`${path.basename(data)}.new-`));
  for (const entry of unfinished) await rm(path.join(area, entry), { recursive: true, force: true }).catch(() => {});
}
