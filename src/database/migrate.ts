import fs from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import pg from 'pg';
import { packageFile } from '#program-files.ts';
import { readSchemaState } from './schema-state.ts';

/** Any number that no other program on this database uses. */
const MIGRATION_LOCK = 7_267_332_667;

/** Where the migrations of this checkout are. */
export const MIGRATIONS = packageFile('migrations');

/** Brings the schema up to the migration `last`, or else the newest in `folder`; replicas starting together wait for the first. */
export async function migrateDatabase(connection: pg.PoolConfig, folder: string, last?: string): Promise<void> {
  if (last === undefined && (await isUpToDate(connection, folder))) return;
  const pool = new pg.Pool({ ...connection, max: 1 });
  pool.on('error', () => {}); // a cut connection fails its query, which reports it
  const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    await database.connection().execute(async (session) => {
      // Kysely locks too, but only after it has made its own tables, and that part races. The session's end unlocks.
      await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(session);
      await migrate(session, folder, last);
    });
  } finally {
    await database.destroy();
  }
}

/** The usual start: without the lock, and without loading a single migration. */
async function isUpToDate(connection: pg.PoolConfig, folder: string): Promise<boolean> {
  const { pending, unknown } = await readSchemaState(connection, folder);
  return pending.length === 0 && unknown.length === 0;
}

async function migrate(db: Kysely<unknown>, folder: string, last: string | undefined): Promise<void> {
  const provider = new FileMigrationProvider({
    fs,
    path,
    migrationFolder: path.resolve(folder),
    import: (file) => import(pathToFileURL(file).href), // a bare Windows path is no module specifier
  });
  const migrator = new Migrator({ db, provider });
  const { error, results } = last === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(last);
  if (!error) return;

  const failed = results?.find((result) => result.status === 'Error');
  const what = failed ? `Migration ${failed.migrationName} failed` : 'The database could not be migrated';
  throw new Error(error instanceof Error ? `${what}: ${error.message}` : what, { cause: error });
}
