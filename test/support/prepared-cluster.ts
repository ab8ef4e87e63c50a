import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { hashOfSchema } from './hash-of-schema.ts';

const run = promisify(execFile);
const CACHE = path.join(import.meta.dirname, '../../node_modules/.cache/reborn-tests');
const PARTS = ['postgres-18', 'postgres-18.password'];

/** Puts a PostgreSQL into `home` as after a first start. It is created once and then copied, which takes a tenth of the time. */
export async function placePreparedCluster(home: string): Promise<void> {
  const prepared = path.join(CACHE, `cluster-${process.getuid?.()}-${await hashOfSchema()}`);
  if (!existsSync(prepared)) await prepareCluster(prepared);
  await copy(prepared, home);
}

/** Several processes may prepare one at the same time; all but the first discard theirs. */
async function prepareCluster(prepared: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const home = await mkdtemp(path.join(tmpdir(), 'reborn-test-'));
  const unfinished = await mkdtemp(`${prepared}-`);
  try {
    await chmod(home, 0o711); // as root, PostgreSQL runs as another user
    await makeCluster(home);
    await copy(home, unfinished);
    await rename(unfinished, prepared);
  } catch (error) {
    if (!existsSync(prepared)) throw error;
  } finally {
    await rm(home, { recursive: true, force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function makeCluster(home: string): Promise<void> {
  const server = await openDatabase({ url: undefined, home });
  try {
    await migrateDatabase(server.connection, MIGRATIONS);
  } finally {
    await server.close();
  }
  await appendFile(path.join(home, 'postgres-18/postgresql.conf'), '\nfsync = off # no test cuts the power\n');
}

/** With owners and modes, which PostgreSQL requires. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', ...PARTS.map((part) => path.join(from, part)), to]);
}
