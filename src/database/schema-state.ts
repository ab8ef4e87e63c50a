import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';

export type SchemaState = {
  /** Migrations of this program that the database has yet to get; the next start applies them. */
  readonly pending: readonly string[];
  /** Migrations that this program doesn't know: a newer one has made them. */
  readonly unknown: readonly string[];
  /** What the server's clock shows. */
  readonly time: Date;
};

/** How far the schema is, without changing it. */
export async function readSchemaState(connection: pg.PoolConfig, folder: string): Promise<SchemaState> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a cut connection fails its query, which reports it
  await client.connect();
  try {
    const { rows } = await client.query<{ time: Date; migrated: boolean }>(
      `select clock_timestamp() as time, to_regclass('kysely_migration') is not null as migrated`,
    );
    const applied = rows[0]?.migrated ? await readApplied(client) : new Set<string>();
    const known = (await readdir(folder)).filter((file) => /\.[jt]s$/.test(file)).map((file) => path.parse(file).name);
    return {
      pending: known.filter((name) => !applied.has(name)).toSorted(),
      unknown: [...applied].filter((name) => !known.includes(name)),
      time: rows[0]?.time ?? new Date(),
    };
  } finally {
    await client.end();
  }
}

async function readApplied(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration');
  return new Set(rows.map(({ name }) => name));
}
