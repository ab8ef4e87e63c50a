import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrateDatabase } from '#database/migrate.ts';
import { ROOT } from '../../test/support/cached-folder.ts';
import { findFreePort } from '../../test/support/free-port.ts';
import { type Installed, versionOf } from '../peers/install.ts';
import type { Contender, Opened } from './contender.ts';
import type { Connection } from './hosted.ts';
import { startNewestProxy } from './newest-proxy.ts';
import { chooseRestatePorts, startRestate } from './restate-server.ts';
import { startWorker } from './worker.ts';

type Place = { readonly installed: Installed; readonly connection: Connection; readonly folder: string };

const OWN = path.join(import.meta.dirname, 'own');

/** All engines, each with its own database on the same server. */
export async function prepareContenders(place: Place): Promise<Contender[]> {
  const { version } = place.installed;
  const today = new Date().toISOString().slice(0, 10);
  const ours = await createDatabase(place.connection, 'reborn');
  await migrateDatabase(ours, path.join(ROOT, 'migrations'));
  const absurd = await prepareAbsurd(place);
  return [
    {
      ...BARE,
      name: 'bare SQL',
      version: 'five statements',
      released: today,
      settings: 'the tables and indexes of Reborn',
      open: () => openOn(path.join(OWN, 'bare-sql.ts'), ours),
    },
    {
      ...BARE,
      name: 'Reborn',
      version: await versionOf(ROOT),
      released: today,
      licence: 'Apache-2.0',
      settings: 'the times of production',
      takesOver: true,
      hasWaits: true,
      open: () => openOn(path.join(OWN, 'reborn.ts'), ours),
    },
    {
      ...BARE,
      name: 'pg-boss',
      version: await version('pg-boss'),
      released: '2026-09-27',
      licence: 'MIT',
      settings: 'LISTEN, heartbeat of 10 s (the shortest it allows), supervised every second',
      takesOver: true,
      open: await openLibrary(place, 'pg-boss', 'pg_boss'),
    },
    {
      ...BARE,
      name: 'DBOS',
      version: await version('@dbos-inc/dbos-sdk'),
      released: '2026-10-15',
      licence: 'MIT; Conductor is commercial',
      settings: 'defaults, 20 connections',
      hasWaits: true,
      open: await openLibrary(place, 'dbos', 'dbos'),
    },
    ...(absurd ? [absurd] : []),
    {
      ...BARE,
      name: 'Restate',
      version: await version('@restatedev/restate-server'),
      released: '2026-09-23',
      licence: 'BSL 1.1 (server), MIT (SDK)',
      secondStatefulPart: 'the Restate server, with RocksDB on its disk',
      settings: 'one node with its defaults; a turn that waits leaves the worker after 1 s',
      takesOver: true,
      hasWaits: true,
      open: () => openRestate(place),
    },
  ];
}

const BARE = { licence: '', secondStatefulPart: null, takesOver: false, hasWaits: false };

async function prepareAbsurd(place: Place): Promise<Contender | undefined> {
  // Its npm package has no schema: `absurdctl`, a Python program, brings it. Here a file of the same version does.
  const schema = process.env['ABSURD_SQL'];
  if (!schema) return undefined;
  const connection = await createDatabase(place.connection, 'absurd');
  await run(connection, await readFile(schema, 'utf8'));
  return {
    ...BARE,
    name: 'Absurd',
    version: await place.installed.version('absurd-sdk'),
    released: '2026-05-27',
    licence: 'Apache-2.0',
    settings: 'lease of 10 s instead of 120, renewed every 3 s in long steps',
    takesOver: true,
    hasWaits: true,
    open: () => openOn(path.join(place.installed.folder, 'absurd.js'), connection),
  };
}

async function openLibrary(place: Place, file: string, database: string): Promise<() => Promise<Opened>> {
  const connection = await createDatabase(place.connection, database);
  return () => openOn(path.join(place.installed.folder, `${file}.js`), connection);
}

function openOn(engineModule: string, connection: Connection): Promise<Opened> {
  return Promise.resolve({
    startWorker: (worker, { identity = worker, isFenced = true } = {}) =>
      startWorker(engineModule, { connection, worker, identity, isFenced }),
    pids: [],
    stored: () => sizeOf(connection),
    close: () => Promise.resolve(),
  });
}

/** Restate calls its workers at one address: a proxy leads to the newest one, as a load balancer with health checks would. */
async function openRestate({ installed, connection, folder }: Place): Promise<Opened> {
  const data = path.join(folder, 'restate');
  const server = await startRestate(installed.folder, data, await chooseRestatePorts());
  const proxy = await startNewestProxy();
  const { ingress, admin } = server;
  return {
    async startWorker(worker) {
      const port = await findFreePort();
      const started = await startWorker(path.join(installed.folder, 'restate.js'), {
        connection,
        worker,
        identity: worker,
        isFenced: true,
        restate: { ingress, admin, port },
      });
      proxy.leadTo(port);
      await server.register(`http://127.0.0.1:${proxy.port}`);
      return started;
    },
    pids: [server.pid],
    stored: () => sizeOfFolder(data),
    async close() {
      await server.stop();
      await proxy.close();
    },
  };
}

async function createDatabase(connection: Connection, name: string): Promise<Connection> {
  const asAdministrator = { ...connection, user: 'postgres', database: 'postgres' };
  await run(asAdministrator, `create database engine_${name} owner ${connection.user}`);
  return { ...connection, database: `engine_${name}` };
}

async function run<T extends pg.QueryResultRow>(connection: Connection, statement: string): Promise<T[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function sizeOf(connection: Connection): Promise<number> {
  const [row] = await run<{ size: string }>(connection, 'select pg_database_size(current_database()) as size');
  return Number(row?.size);
}

async function sizeOfFolder(folder: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-sb', folder]);
  return Number.parseInt(stdout, 10);
}
