import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { migrateDatabase } from '../migrate.ts';
import { findSchema } from './find-schema.ts';
import { type LoadEvents, loadArchive, NotEmpty } from './load-archive.ts';
import { type Archive, BrokenArchive } from './read-archive.ts';

type Options = {
  readonly connection: pg.PoolConfig;
  /** The folder with all migrations of this version. */
  readonly migrations: string;
  readonly archive: Archive;
} & LoadEvents;

/**
 * Creates the schema that the archive was written with, fills it, and then migrates it to the current one, so that
 * migrations find the rows they were written for.
 */
export async function restoreArchive({ connection, migrations, archive, ...events }: Options): Promise<void> {
  const { schema } = archive.header;
  const known = (await readdir(migrations))
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => path.parse(file).name);
  if (known.every((name) => schema < name))
    throw new BrokenArchive("The archive was made by Reborn 0.1, which this version can't read.");
  if (!known.includes(schema))
    throw new BrokenArchive(`The archive was made by a newer Reborn (${schema}). Upgrade this one, then try again.`);

  const client = new pg.Client(connection);
  client.on('error', () => {}); // a lost connection fails the query, which reports it
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
        'Use a database that Reborn has never used.',
    );
}
