import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { hashOfSchema } from './hash-of-schema.ts';

/** The name of the template database with our schema on the server of DATABASE_URL. It is kept for later runs. */
export async function findPreparedTemplate(server: string): Promise<string> {
  const name = `reborn_template_${await hashOfSchema()}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('${name}'))`); // one prepares it, the others wait
    const found = await client.query('select from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) await prepareTemplate(server, name);
    return name;
  } finally {
    await client.end();
  }
}

/** It gets its name last, so that no other process copies half a schema. */
async function prepareTemplate(server: string, name: string): Promise<void> {
  const unfinished = `reborn_template_${randomBytes(6).toString('hex')}`;
  await runOn(server, `create database ${unfinished}`);
  await migrateDatabase({ connectionString: withDatabase(server, unfinished) }, MIGRATIONS);
  await runOn(server, `alter database ${unfinished} rename to ${name}`);
}

export async function runOn(server: string | pg.ClientConfig, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

export function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** The DATABASE_URL of an embedded server. */
export function urlOfServer({ host, port, user, password, database }: pg.PoolConfig): string {
  return `postgres://${user}:${String(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host ?? '')}`;
}

/** The parts of a DATABASE_URL. */
export function connectionOf(url: string): pg.PoolConfig {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  return { host, port, user, password, database };
}
