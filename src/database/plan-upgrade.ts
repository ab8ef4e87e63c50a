import pg from 'pg';
import { readMigrations } from './migrate.ts';
import { tableOf } from './pending-indexes.ts';
import { isCompatible, readSchemaState, type SchemaState } from './schema-state.ts';

export type UpgradePlan = SchemaState & {
  readonly steps: readonly UpgradeStep[];
  /** Whether a program of the version before may run beside the new schema, and start on it again after a rollback. */
  readonly isRolling: boolean;
  readonly seconds: number;
};

export type UpgradeStep = {
  readonly name: string;
  readonly worksWith: string | null;
  readonly work: readonly UpgradeWork[];
  readonly seconds: number;
};

/** Work whose duration grows with a table. An index is built while the service writes; a rewrite holds the table. */
export type UpgradeWork = {
  readonly kind: 'index' | 'rewrite';
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
};

/** Assumed for a disk of a small machine, so that the estimate is rather too long. */
const BYTES_PER_SECOND = { index: 20e6, rewrite: 10e6 };
/** What a migration takes on an empty database. */
const BASE_SECONDS = 1;

/** What the next start of this program will do to the schema, without changing it. */
export async function planUpgrade(connection: pg.PoolConfig, folder: string): Promise<UpgradePlan> {
  const state = await readSchemaState(connection, folder);
  const migrations = await readMigrations(folder);
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a lost connection fails its query, which reports it
  await client.connect();
  try {
    const steps: UpgradeStep[] = [];
    for (const name of state.newest === undefined ? [] : state.pending) {
      const { indexes = [], rewrites = [], worksWith = null } = migrations[name] ?? {};
      const work = [
        ...(await Promise.all(rewrites.map((table) => measure(client, 'rewrite', table)))),
        ...(await Promise.all(indexes.map((index) => measure(client, 'index', tableOf(index))))),
      ];
      steps.push({ name, worksWith, work, seconds: BASE_SECONDS + secondsFor(work) });
    }
    const unbuilt = await Promise.all(state.pendingIndexes.map((index) => measure(client, 'index', tableOf(index))));
    return {
      ...state,
      steps,
      isRolling: steps.every((step) => isCompatible(step, [state.newest ?? ''])),
      seconds: steps.reduce((sum, { seconds }) => sum + seconds, secondsFor(unbuilt)),
    };
  } finally {
    await client.end();
  }
}

/** By the statistics of the last vacuum or analysis; of a table that never had one, the size of its files. A new table has neither. */
async function measure(client: pg.Client, kind: UpgradeWork['kind'], table: string): Promise<UpgradeWork> {
  const { rows } = await client.query<{ rows: number; bytes: number }>(
    `select greatest(reltuples, 0)::float8 as rows,
       case when reltuples < 0 then pg_relation_size(oid)
         else relpages * current_setting('block_size')::bigint end::float8 as bytes
     from pg_class where oid = to_regclass($1)`,
    [table],
  );
  return { kind, table, rows: rows[0]?.rows ?? 0, bytes: rows[0]?.bytes ?? 0 };
}

const secondsFor = (work: readonly UpgradeWork[]): number =>
  work.reduce((sum, { kind, bytes }) => sum + bytes / BYTES_PER_SECOND[kind], 0);
