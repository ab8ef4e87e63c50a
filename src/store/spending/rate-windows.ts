import { sql } from 'kysely';
import type { Database } from '../connection.ts';

export type RateLimit = { readonly limit: number; readonly windowSeconds: number };

/** `retryInSeconds`: how long to wait after a refused use. */
export type RateUse = { readonly isAllowed: boolean; readonly retryInSeconds: number };

/** A window is divided into slots. More slots take more space and make the effective window less longer than the nominal one. */
const SLOTS = 60;

/**
 * Counts one use of `key`, unless `limit` uses were allowed within the last `windowSeconds`. A slot counts until all of it
 * is older than the window, so no period of that length ever has more uses. Refused uses don't count. One statement locks
 * the key's row before it reads the clock, so the limit holds across replicas.
 */
export async function takeUse(db: Database, key: string, { limit, windowSeconds }: RateLimit): Promise<RateUse> {
  const width = sql`(${windowSeconds / SLOTS})::numeric`;
  const slotNow = sql`floor(extract(epoch from clock_timestamp()) / ${width})::bigint`;
  const expiry = (slot: ReturnType<typeof sql>) => sql`to_timestamp(((${slot} + ${SLOTS + 1}) * ${width})::float8)`;
  const { rows } = await sql<RateUse>`
    insert into rate_windows as present (key, slots, counts, is_allowed, expires_at)
    values (${key}, array[${slotNow}], array[1], true, ${expiry(slotNow)})
    on conflict (key) do update set (slots, counts, is_allowed, expires_at) = (
      select next.slots, next.counts, alive.total < ${limit}, ${expiry(sql`next.slots[cardinality(next.slots)]`)}
      from
        (select greatest(${slotNow}, present.slots[cardinality(present.slots)]) as slot) as last,
        lateral (
          select coalesce(sum(used), 0) as total from unnest(present.slots, present.counts) as kept (slot, used)
          where kept.slot >= last.slot - ${SLOTS}
        ) as alive,
        lateral (
          select array_agg(slot order by slot) as slots, array_agg(used order by slot) as counts
          from (
            select slot, sum(used)::integer as used
            from (
              select kept.slot, kept.used from unnest(present.slots, present.counts) as kept (slot, used)
              where kept.slot >= last.slot - ${SLOTS}
              union all
              select last.slot, 1 where alive.total < ${limit}
            ) as uses
            group by slot
          ) as merged
        ) as next
    )
    returning is_allowed, extract(epoch from ${expiry(sql`slots[1]`)} - clock_timestamp())::float8 as retry_in_seconds`.execute(
    db,
  );
  const [use] = rows;
  if (!use) throw new Error('Counting a use returned nothing.');
  return use;
}
