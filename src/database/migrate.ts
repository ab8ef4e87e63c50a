import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { FileMigrationProvider, type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { packageFile } from '#program-files.ts';
import { buildPendingIndexes } from './pending-indexes.ts';
import { isCompatible, isTooOld, readApplied, readSchemaState, TOO_OLD } from './schema-state.ts';

/** An arbitrary lock number that no other program on this database uses. */
export const MIGRATION_LOCK = 7_267_332_667;

/** An index of such a table takes a few seconds. The start does not wait for those of larger ones. */
const BUILT_AT_ONCE_BYTES = 64e6;

/** The folder with the migrations. */
export const MIGRATIONS = packageFile('migrations');

type Options = {
  readonly lockTimeoutMs?: number;
  /** How often a migration is tried when it can't lock a table in time. */
  readonly tries?: number;
  /** Leaves the indexes of tables with more bytes to `startIndexBuilds`. */
  readonly builtAtOnceBytes?: number;
};

/** For a service, whose replicas build indexes while they work, and for commands, which leave them to the service. */
export const INDEXES_LATER: Options = { builtAtOnceBytes: BUILT_AT_ONCE_BYTES };

/** The exports of a file in `migrations`. */
export type DeclaredMigration = Migration & {
  /**
   * The newest migration of the oldest version that still works with the schema after this one: such a version may run
   * at the same time. Without it, only versions that include this migration may.
   */
  readonly worksWith?: string;
  /**
   * Indexes on tables that may be large, such as `turns_ready on turns (ready_at)`. They are built after the migration has
   * committed, while the service keeps writing to the tables.
   */
  readonly indexes?: readonly string[];
  /** Tables that may be large, and of which `up` reads or writes every row. Only the estimate of `reborn upgrade --check` uses it. */
  readonly rewrites?: readonly string[];
};

/**
 * Migrates the schema to `last`, or to the newest migration in `folder`, and returns whether indexes are left to be built. Replicas
 * that start together wait for the first.
 */
export async function migrateDatabase(
  connection: pg.PoolConfig,
  folder: string,
  last?: string,
  options: Options = {},
): Promise<boolean> {
  const { pending, unknown, pendingIndexes } = await readSchemaState(connection, folder);
  const isLeft = pendingIndexes.length > 0;
  // The usual start takes no lock, which a replica holds that builds indexes, and loads no migration.
  const mayLeave = options.builtAtOnceBytes !== undefined || !isLeft;
  if (last === undefined && pending.length === 0 && unknown.length === 0 && mayLeave) return isLeft;
  const pool = new pg.Pool({ ...connection, max: 1 });
  pool.on('error', () => {}); // a lost connection fails its query, which reports it
  const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await database.connection().execute(async (session) => {
      // Kysely locks too, but only after it has created its own tables, which races. The lock ends with the session.
      await takeLock(session);
      await migrateWithRetries(session, folder, last, options);
      return buildPendingIndexes(session, options.builtAtOnceBytes);
    });
  } finally {
    await database.destroy();
  }
}

/**
 * Asks again and again. A statement that waits for the lock would be a running transaction, for which the index builds of
 * the session that has the lock wait: a deadlock.
 */
async function takeLock(session: Kysely<unknown>): Promise<void> {
  const attempt = sql<{ taken: boolean }>`select pg_try_advisory_lock(${MIGRATION_LOCK}) as taken`;
  while (!(await attempt.execute(session)).rows[0]?.taken) await sleep(BETWEEN_LOCKS_MS);
}

const LOCK_NOT_AVAILABLE = '55P03';
const BETWEEN_TRIES_MS = 1000;
const BETWEEN_LOCKS_MS = 100;

/** A migration that waits for a lock blocks all statements behind it, so it gives up soon and retries. */
async function migrateWithRetries(
  db: Kysely<unknown>,
  folder: string,
  last: string | undefined,
  { lockTimeoutMs = 3000, tries = 20 }: Options,
): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, false), set_config('statement_timeout', '0', false)`.execute(
    db,
  );
  for (let left = tries; ; left--) {
    try {
      return await migrate(db, folder, last);
    } catch (error) {
      const isLocked = error instanceof Error && (error.cause as { code?: unknown })?.code === LOCK_NOT_AVAILABLE;
      if (!isLocked || left <= 1) throw error;
      await sleep(BETWEEN_TRIES_MS);
    }
  }
}

async function migrate(db: Kysely<unknown>, folder: string, last: string | undefined): Promise<void> {
  const ours = await readMigrations(folder);
  const newer = await findNewerMigrations(db, Object.keys(ours));
  const provider = { getMigrations: async () => ({ ...declareAll(ours), ...newer }) };
  const migrator = new Migrator({ db, provider });
  const { error, results } = last === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(last);
  if (!error) return;

  const failed = results?.find((result) => result.status === 'Error');
  const what = failed ? `Migration ${failed.migrationName} failed` : 'The database could not be migrated';
  throw new Error(error instanceof Error ? `${what}: ${error.message}` : what, { cause: error });
}

/** The migrations of a folder, by their names. */
export function readMigrations(folder: string): Promise<Record<string, DeclaredMigration>> {
  const files = new FileMigrationProvider({
    fs,
    path,
    migrationFolder: path.resolve(folder),
    import: (file) => import(pathToFileURL(file).href), // a Windows path is not a valid module specifier
  });
  return files.getMigrations();
}

/** Migrations of a newer version, during a rollout or after a rollback; throws when this version can't work with the database. */
async function findNewerMigrations(db: Kysely<unknown>, ours: readonly string[]): Promise<Record<string, Migration>> {
  const applied = await readApplied(async (statement) => (await sql.raw(statement).execute(db)).rows);
  if (isTooOld(applied, ours)) throw new Error(TOO_OLD);
  const newer = applied.filter(({ name }) => !ours.includes(name));
  const refused = newer.filter((each) => !isCompatible(each, ours)).map(({ name }) => name);
  if (refused.length > 0)
    throw new Error(
      `A newer version of Reborn has changed the database (${refused.join(', ')}), and this version can't work with it. ` +
        'Start the newer version, or restore a backup from before the upgrade.',
    );
  return Object.fromEntries(newer.map(({ name }) => [name, { up: async () => {} }]));
}

/** Kysely inserts a row for each migration in the same transaction; the column defaults add what the file declares. */
function declareAll(ours: Record<string, DeclaredMigration>): Record<string, Migration> {
  const declare = (migration: DeclaredMigration): Migration => ({
    async up(db) {
      // Row-level security is forced on this role, too: without it, a migration would find no row of any user.
      await sql`set local app.engine = 'on'`.execute(db);
      await migration.up(db);
      await sql`
        alter table kysely_migration
          add column if not exists works_with text,
          add column if not exists pending_indexes text[],
          alter column works_with set default ${sql.lit(migration.worksWith ?? null)},
          alter column pending_indexes set default ${sql.lit(migration.indexes ? toArray(migration.indexes) : null)}`.execute(
        db,
      );
    },
  });
  return Object.fromEntries(Object.entries(ours).map(([name, migration]) => [name, declare(migration)]));
}

/** As PostgreSQL writes an array. */
const toArray = (texts: readonly string[]) => `{${texts.map((text) => JSON.stringify(text)).join(',')}}`;
