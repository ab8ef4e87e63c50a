import { sql } from 'kysely';
import type { Database } from './connection.ts';

export type RateUse = { readonly used: number; readonly resetsInSeconds: number };

/** Counts one use of `key` in its window, which begins with the first use. One statement, so it holds across replicas. */
export async function countUse(db: Database, key: string, windowSeconds: number): Promise<RateUse> {
  const { rows } = await sql<RateUse>`
    insert into rate_limits as present (key, used, resets_at)
    values (${key}, 1, now() + make_interval(secs => ${windowSeconds}))
    on conflict (key) do update set
      used = case when present.resets_at <= now() then 1 else present.used + 1 end,
      resets_at = case when present.resets_at <= now() then excluded.resets_at else present.resets_at end
    returning used, extract(epoch from resets_at - now())::float8 as resets_in_seconds`.execute(db);
  const [use] = rows;
  if (!use) throw new Error('Counting a use returned nothing.');
  return use;
}
