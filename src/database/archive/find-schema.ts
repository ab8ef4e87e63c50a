import type pg from 'pg';

/** The newest applied migration; undefined in a database that Reborn has never used. */
export async function findSchema(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('kysely_migration') is not null as found`,
  );
  if (!rows[0]?.found) return undefined;
  const applied = await client.query<{ name: string }>('select name from kysely_migration order by name desc limit 1');
  return applied.rows[0]?.name;
}
