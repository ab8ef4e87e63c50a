import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { hashOfSchema } from './hash-of-schema.ts';
import { prepareSchema } from './prepare-schema.ts';

/** The name of a database with our schema on DATABASE_URL's server, of which others are copied. It stays there. */
export async function findPreparedTemplate(server: string): Promise<string> {
  const name = `reborn_template_${await hashOfSchema()}`;
  const found = await runOn(server, `select from pg_database where datname = '${name}'`);
  if (found.rowCount === 0) await prepareTemplate(server, name);
  return name;
}

/** Several may do so at the same time: who comes second throws its own away. */
async function prepareTemplate(server: string, name: string): Promise<void> {
  const unfinished = `reborn_template_${randomBytes(6).toString('hex')}`;
  await runOn(server, `create database ${unfinished}`);
  try {
    await prepareSchema({ connectionString: withDatabase(server, unfinished) });
    await runOn(server, `alter database ${unfinished} rename to ${name}`);
  } catch (error) {
    await runOn(server, `drop database ${unfinished} with (force)`);
    if (!(error instanceof pg.DatabaseError) || error.code !== DUPLICATE_DATABASE) throw error;
  }
}

const DUPLICATE_DATABASE = '42P04';

export async function runOn(server: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: server });
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
