import { CompiledQuery } from 'kysely';
import { createBatch } from '#domain/batch.ts';
import { isAway } from '../away.ts';
import type { Database } from '../connection.ts';

export type RateLimit = { readonly limit: number; readonly windowSeconds: number };

/** `retryInSeconds`: how long to wait after a refused use. */
export type RateUse = { readonly isAllowed: boolean; readonly retryInSeconds: number };

/** A window is divided into slots. More slots take more space and make the effective window less longer than the nominal one. */
const SLOTS = 60;

/** Counts one use of `key`, unless `limit` uses were allowed within the last `windowSeconds`. Concurrent uses share a statement. */
export function takeUse(db: Database, key: string, limit: RateLimit): Promise<RateUse> {
  const take = takers.get(db) ?? createBatch((uses: readonly Use[]) => takeUses(db, uses), isAway);
  takers.set(db, take);
  return take({ key, ...limit });
}

const takers = new WeakMap<Database, (use: Use) => Promise<RateUse>>();

type Use = RateLimit & { readonly key: string };

async function takeUses(db: Database, uses: readonly Use[]): Promise<RateUse[]> {
  const groups = Map.groupBy(uses, ({ key, limit, windowSeconds }) => JSON.stringify([key, limit, windowSeconds]));
  const asked = [...groups.values()].map((group) => ({ ...(group[0] as Use), uses: group.length }));
  const statement = CompiledQuery.raw(TAKE, [
    asked.map(({ key }) => key),
    asked.map((group) => group.uses),
    asked.map(({ limit }) => limit),
    asked.map(({ windowSeconds }) => windowSeconds / SLOTS),
  ]);
  const { rows } = await db.withoutPlugins().executeQuery<TakenUses>(statement);
  // The first uses of a key are those that are allowed.
  const places = new Map<Use, RateUse>();
  const ordered = rows.toSorted((one, other) => one.entry - other.entry);
  for (const [index, group] of [...groups.values()].entries()) {
    const { allowed = 0, retryInSeconds = 0 } = ordered[index] ?? {};
    group.forEach((use, nth) => places.set(use, { isAllowed: nth < allowed, retryInSeconds }));
  }
  return uses.map((use) => places.get(use) as RateUse);
}

type TakenUses = { readonly entry: number; readonly allowed: number; readonly retryInSeconds: number };

const TAKE = 'select entry, allowed, retry_in_seconds as "retryInSeconds" from take_uses($1, $2, $3, $4)';
