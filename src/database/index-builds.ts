import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { MIGRATION_LOCK } from './migrate.ts';
import { buildPendingIndexes } from './pending-indexes.ts';

const BETWEEN_TRIES_MS = 10_000;

export type IndexBuild = {
  readonly name: string;
  readonly table: string;
  /** What PostgreSQL does, and how much of that is done; null while no one builds it. */
  readonly phase: string | null;
  readonly percent: number | null;
};

/**
 * Builds the indexes that migrations have left, while the service works. One replica builds; another one that has started with
 * them continues when it ends. PostgreSQL has no partial builds, so the next one begins again.
 */
export function startIndexBuilds(
  connection: pg.PoolConfig,
  onError: (error: unknown) => void,
  betweenTriesMs = BETWEEN_TRIES_MS,
): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function buildAll(): Promise<void> {
    while (!signal.aborted) {
      const isDone = await buildOnce(connection, signal).catch((error: unknown) => {
        if (!signal.aborted) onError(error);
        return false;
      });
      if (isDone) return;
      await sleep(betweenTriesMs, undefined, { signal }).catch(() => {}); // it only ends early
    }
  }

  const building = buildAll();
  return {
    stop: async () => {
      stopping.abort();
      await building;
    },
  };
}

/** Returns whether nothing is left to build; false also while another session migrates or builds. */
async function buildOnce(connection: pg.PoolConfig, signal: AbortSignal): Promise<boolean> {
  const pool = new pg.Pool({ ...connection, max: 1 });
  pool.on('error', () => {}); // a lost connection fails its query, which reports it
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await db.connection().execute(async (session) => {
      const { rows } = await sql<{ pid: number; taken: boolean }>`
        select pg_backend_pid() as pid, pg_try_advisory_lock(${MIGRATION_LOCK}) as taken,
          set_config('statement_timeout', '0', false)`.execute(session);
      const [{ pid, taken } = { pid: 0, taken: false }] = rows;
      if (!taken || signal.aborted) return false;
      // Without a server, the build has ended with it.
      const end = () => void endSession(connection, pid).catch(() => {});
      signal.addEventListener('abort', end);
      try {
        return !(await buildPendingIndexes(session));
      } finally {
        signal.removeEventListener('abort', end);
      }
    });
  } finally {
    await db.destroy();
  }
}

/** A build does not notice that its client is gone. */
async function endSession(connection: pg.PoolConfig, pid: number): Promise<void> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // the query reports it
  try {
    await client.connect();
    await client.query('select pg_terminate_backend($1)', [pid]);
  } finally {
    await client.end();
  }
}

/** The indexes that are not built yet, and how far the build is. */
export async function readIndexBuilds<Tables>(db: Kysely<Tables>): Promise<IndexBuild[]> {
  const { rows } = await sql<IndexBuild>`
    select split_part(definition, ' ', 1) as name, substring(definition from ' on (?:only )?([^ (]+)') as table, phase,
      (100 * case when blocks_total > 0 then blocks_done::float8 / blocks_total
        when tuples_total > 0 then tuples_done::float8 / tuples_total when phase is not null then 0 end)::integer as percent
    from kysely_migration, unnest(pending_indexes) as definition
    left join pg_stat_progress_create_index on index_relid = to_regclass(split_part(definition, ' ', 1))
    order by kysely_migration.name`.execute(db);
  return rows;
}
