import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { openDatabase } from '#database/open-database.ts';
import { placeSharedCluster } from '../../test/support/prepared-cluster.ts';
import {
  connectionOf,
  findPreparedTemplate,
  runOn,
  urlOfServer,
  withDatabase,
} from '../../test/support/prepared-template.ts';
import { type Built, fillCrowd, makeTexts } from './fill.ts';

export type Grown = { readonly items: number; readonly url: string; readonly filled: Filled };
export type Filled = { readonly seconds: number; readonly indexes: readonly Built[] };

/** An embedded PostgreSQL in a folder that stays. As in all tests, it does not wait for the disk. */
export async function openServer(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  if (!existsSync(path.join(folder, 'postgres-18'))) await placeSharedCluster(folder);
  const database = await openDatabase({ url: undefined, home: folder });
  return { url: urlOfServer(database.connection), close: () => database.close() };
}

/** A database for each size, made from the one before with more threads. Those of an earlier run are taken as they are. */
export async function growDatabases(server: string, sizes: readonly number[]): Promise<Grown[]> {
  const most = sizes.at(-1) ?? 0;
  const grown: Grown[] = [];
  for (const [index, items] of sizes.entries()) {
    const url = withDatabase(server, `growth_${items}`);
    const found = await readFilled(server, items);
    const before = sizes[index - 1];
    const filled = found ?? (await grow(server, items, before, most));
    grown.push({ items, url, filled });
  }
  return grown;
}

async function grow(server: string, items: number, before: number | undefined, most: number): Promise<Filled> {
  const template = before === undefined ? await findPreparedTemplate(server) : `growth_${before}`;
  const name = `growth_${items}`;
  await runOn(server, `drop database if exists ${name} with (force)`);
  await runOn(server, `create database ${name} template ${template} strategy file_copy`);
  const started = performance.now();
  const database = await connectFreely(withDatabase(server, name));
  try {
    if (before === undefined) await makeTexts(database);
    const indexes = await fillCrowd(database, before ?? 0, items, most);
    await database.query('vacuum (analyze)');
    const filled = { seconds: (performance.now() - started) / 1000, indexes };
    await runOn(server, `comment on database ${name} is '${JSON.stringify(filled)}'`);
    return filled;
  } finally {
    await database.end();
  }
}

/** As the administrator of the embedded server, whose inserts no key and no policy checks. */
export async function connectFreely(url: string): Promise<pg.Client> {
  const database = new pg.Client({ ...connectionOf(url), user: 'postgres' });
  await database.connect();
  await database.query(
    "set work_mem = '256MB'; set maintenance_work_mem = '1GB'; set session_replication_role = replica",
  );
  return database;
}

/** The comment is written when the database is whole. */
async function readFilled(server: string, items: number): Promise<Filled | undefined> {
  const { rows } = await runOn(
    server,
    `select shobj_description(oid, 'pg_database') as filled from pg_database where datname = 'growth_${items}'`,
  );
  const [{ filled } = { filled: null }] = rows as { filled: string | null }[];
  return filled ? (JSON.parse(filled) as Filled) : undefined;
}
