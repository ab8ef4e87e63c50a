import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';

export type SchemaState = {
  /** The newest migration that is applied; none on an empty database. */
  readonly newest: string | undefined;
  /** Migrations of this program that are not applied yet; the next start applies them. */
  readonly pending: readonly string[];
  /** Migrations of a newer version that this version can't work with. */
  readonly unknown: readonly string[];
  /** Whether a version made it that is too old to be upgraded. */
  readonly isTooOld: boolean;
  /** Indexes that applied migrations declare and that are not built yet. */
  readonly pendingIndexes: readonly string[];
  /** The server's clock. */
  readonly time: Date;
};

/** Compares the schema with this version's migrations, without changing it. */
export async function readSchemaState(connection: pg.PoolConfig, folder: string): Promise<SchemaState> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a lost connection fails its query, which reports it
  await client.connect();
  try {
    const { rows } = await client.query<{ time: Date }>('select clock_timestamp() as time');
    const applied = await readApplied(async (statement) => (await client.query<object>(statement)).rows);
    const names = new Set(applied.map(({ name }) => name));
    const known = (await readdir(folder)).filter((file) => /\.[jt]s$/.test(file)).map((file) => path.parse(file).name);
    return {
      newest: applied.at(-1)?.name,
      pending: known.filter((name) => !names.has(name)).toSorted(),
      unknown: applied
        .filter((each) => !known.includes(each.name) && !isCompatible(each, known))
        .map(({ name }) => name),
      isTooOld: isTooOld(applied, known),
      pendingIndexes: applied.flatMap(({ pendingIndexes }) => pendingIndexes ?? []),
      time: rows[0]?.time ?? new Date(),
    };
  } finally {
    await client.end();
  }
}

export type AppliedMigration = {
  readonly name: string;
  /** The newest migration of the oldest version that works with the schema after this one. */
  readonly worksWith: string | null;
  readonly pendingIndexes: readonly string[] | null;
};

/** In order. Empty on a new database. The columns may be missing if an older version created the table. */
export async function readApplied(query: (statement: string) => Promise<unknown[]>): Promise<AppliedMigration[]> {
  const [found] = (await query(`select to_regclass('kysely_migration') is not null as migrated`)) as {
    migrated: boolean;
  }[];
  if (!found?.migrated) return [];
  return (await query(
    `select name, to_jsonb(applied) ->> 'works_with' as "worksWith",
       nullif(to_jsonb(applied) -> 'pending_indexes', 'null') as "pendingIndexes"
     from kysely_migration as applied order by name`,
  )) as AppliedMigration[];
}

/** Version 0.1 had other migrations, with lower numbers. */
export function isTooOld(applied: readonly AppliedMigration[], ours: readonly string[]): boolean {
  const first = ours.toSorted()[0];
  return first !== undefined && applied.some(({ name }) => name < first);
}

export const TOO_OLD = "This database was made by Reborn 0.1, which this version can't upgrade. Use an empty database.";

/** Whether a version with the migrations `ours` works with a migration that it doesn't include. */
export function isCompatible({ worksWith }: Pick<AppliedMigration, 'worksWith'>, ours: readonly string[]): boolean {
  const newest = ours.toSorted().at(-1);
  return worksWith !== null && newest !== undefined && worksWith <= newest;
}
