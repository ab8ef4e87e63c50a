import { sql } from 'kysely';
import type { TurnId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

export type KeptKey = { readonly digest: string; readonly turnId: TurnId };

/** `isLasting`: kept without limit instead of for a day. */
export type NewKey = KeptKey & { readonly isLasting: boolean };

/**
 * Takes `key` for a turn. If it was taken before and has not expired, returns the turn that has it. Of two concurrent
 * callers, the second waits here until the first has committed. `accept_turns` tries the same lock.
 */
export async function takeKey(trx: OwnedTransaction, owner: Owner, key: string, taken: NewKey): Promise<KeptKey> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${owner.userId} ${key}`}, 1))`.execute(trx);
  await sql`
    insert into idempotency_keys as present (user_id, key, digest, turn_id, is_lasting)
    values (${owner.userId}, ${key}, ${taken.digest}, ${taken.turnId}, ${taken.isLasting})
    on conflict (user_id, key) do update set
      digest = excluded.digest, turn_id = excluded.turn_id, created_at = now()
    where present.created_at < now() - interval '24 hours' and not present.is_lasting`.execute(trx);
  return keysOf(trx, owner, key).executeTakeFirstOrThrow();
}

export function findKey(trx: OwnedTransaction, owner: Owner, key: string): Promise<KeptKey | undefined> {
  return keysOf(trx, owner, key)
    .where(sql<boolean>`(is_lasting or created_at > now() - interval '24 hours')`)
    .executeTakeFirst();
}

const keysOf = (trx: OwnedTransaction, owner: Owner, key: string) =>
  trx
    .selectFrom('idempotencyKeys')
    .select(['digest', 'turnId'])
    .where('userId', '=', owner.userId)
    .where('key', '=', key);
