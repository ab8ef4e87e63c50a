import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { cachedFolder } from './cached-folder.ts';
import { hashOfSchema } from './hash-of-schema.ts';
import { findPreparedTemplate, runOn, urlOfServer } from './prepared-template.ts';

const run = promisify(execFile);
const PARTS = ['postgres-18', 'postgres-18.password'];

/** Puts a PostgreSQL into `home` as after a first start. It is created once and then copied, which takes a tenth of the time. */
export const placePreparedCluster = (home: string): Promise<void> => place('cluster', makeCluster, home);

/** The same for a server of many databases: its role may create them, and finds a template with our schema. */
export const placeSharedCluster = (home: string): Promise<void> => place('shared-cluster', makeSharedCluster, home);

type Make = (home: string) => Promise<void>;

async function place(name: string, make: Make, home: string): Promise<void> {
  const fill = (prepared: string) => prepareCluster(prepared, make);
  await copy(await cachedFolder(`${name}-${process.getuid?.()}`, await hashOfSchema(), fill), home);
}

async function prepareCluster(prepared: string, make: Make): Promise<void> {
  const home = await mkdtemp(path.join(tmpdir(), 'reborn-test-'));
  try {
    await chmod(home, 0o711); // as root, PostgreSQL runs as another user
    await make(home);
    await copy(home, prepared);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function makeCluster(home: string): Promise<void> {
  const server = await openDatabase({ url: undefined, home });
  try {
    await migrateDatabase(server.connection, MIGRATIONS);
    await simplifyPasswords(server.connection);
  } finally {
    await server.close();
  }
  // No test cuts the power. Whole pages in the log are for that, too.
  await appendFile(path.join(home, 'postgres-18/postgresql.conf'), '\nfsync = off\nfull_page_writes = off\n');
}

/** Tests open thousands of connections, and the usual 4096 iterations cost milliseconds of CPU time on both sides of each. */
async function simplifyPasswords(connection: pg.PoolConfig): Promise<void> {
  const password = `password '${String(connection.password)}'`;
  const roles = ['reborn', 'postgres'].map((role) => `alter role ${role} ${password}`);
  const asAdministrator = { ...connection, user: 'postgres', database: 'postgres' };
  await runOn(asAdministrator, ['set scram_iterations = 1', ...roles].join('; '));
}

async function makeSharedCluster(home: string): Promise<void> {
  await placePreparedCluster(home);
  const server = await openDatabase({ url: undefined, home });
  try {
    const asAdministrator = { ...server.connection, user: 'postgres', database: 'postgres' };
    await runOn(asAdministrator, 'alter role reborn createdb');
    await findPreparedTemplate(urlOfServer(server.connection));
  } finally {
    await server.close();
  }
}

/** With owners and modes, which PostgreSQL requires. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', ...PARTS.map((part) => path.join(from, part)), to]);
}
