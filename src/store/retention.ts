import { sql } from 'kysely';
import type { UserId } from '#domain/principal.ts';
import type { Days, RetentionKind, RetentionRules } from '#domain/retention.ts';
import type { Audited } from './audit.ts';
import type { OwnedTransaction } from './connection.ts';

/** What was set for this user; `*` is everyone. Only the operator may read and change it; row-level security enforces it. */
export async function readRetention(trx: OwnedTransaction, userId: UserId): Promise<RetentionRules> {
  const rows = await trx.selectFrom('retention').select(['kind', 'days']).where('userId', '=', userId).execute();
  return Object.fromEntries(rows.map(({ kind, days }) => [kind, days]));
}

export async function putRetention(
  trx: Audited<OwnedTransaction>,
  userId: UserId,
  kind: RetentionKind,
  days: Days,
): Promise<void> {
  await trx
    .insertInto('retention')
    .values({ userId, kind, days })
    .onConflict((conflict) => conflict.columns(['userId', 'kind']).doUpdateSet({ days, updatedAt: sql<Date>`now()` }))
    .execute();
}

/** The user inherits this limit again. */
export async function deleteRetention(
  trx: Audited<OwnedTransaction>,
  userId: UserId,
  kind: RetentionKind,
): Promise<void> {
  await trx.deleteFrom('retention').where('userId', '=', userId).where('kind', '=', kind).execute();
}
