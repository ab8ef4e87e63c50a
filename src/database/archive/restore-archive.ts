import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { migrateDatabase } from '../migrate.ts';
import { findSchema } from './find-schema.ts';
import { type LoadEvents, loadArchive, NotEmpty } from './load-archive.ts';
import { type Archive, BrokenArchive } from './read-archive.ts';

type Options = {
  readonly connection: pg.PoolConfig;
  /** The folder with all migrations that this version knows. */
  readonly migrations: string;
  readonly archive: Archive;
} & LoadEvents;

/**
 * Makes the schema that the archive was written with, fills it, and only then brings it up to date: so migrations find
 * the rows they were written for.
 */
export async function restoreArchive({ connection, migrations, archive, ...events }: Options): Promise<void> {
  const { schema } = archive.header;
  const known = (await readdir(migrations)).map((file) => path.parse(file).name);
  if (!known.includes(schema))
    throw new BrokenArchive(`The archive was made by a newer Reborn (${schema}). Upgrade this one, then try again.`);

  const client = new pg.Client(connection);
  client.on('error', () => {}); // a cut line fails the query, which reports it
  await client.connect();
  try {
    await refuseNewerSchema(client, schema);
    await migrateDatabase(connection, migrations, schema);
    await loadArchive(client, archive, events);
  } finally {
    await client.end();
  }
  await migrateDatabase(connection, migrations);
}

async function refuseNewerSchema(client: pg.Client, schema: string): Promise<void> {
  const newest = await findSchema(client);
  if (newest !== undefined && newest > schema)
    throw new NotEmpty(
      `The database already has a newer schema (${newest}) than the archive (${schema}). ` +
        'Use a database in which Reborn was never started.',
    );
}
