import { sql } from 'kysely';
import type { DeliveryId } from '#domain/ids.ts';
import type { Delivery, DeliveryAttempt, DeliveryState } from '#domain/notification/delivery.ts';
import type { Scope, UserId } from '#domain/principal.ts';
import type { OwnedTransaction } from '../connection.ts';
import { userOf } from '../scope.ts';

export type DeliveryFilter = { readonly state?: DeliveryState; readonly before?: DeliveryId; readonly limit: number };

/** Newest first. */
export function listDeliveries(
  trx: OwnedTransaction,
  scope: Scope,
  { state, before, limit }: DeliveryFilter,
): Promise<Delivery[]> {
  return inScope(trx, scope)
    .$if(state !== undefined, (query) => query.where('state', '=', state as DeliveryState))
    .$if(before !== undefined, (query) => query.where('id', '<', before as DeliveryId))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function findDelivery(trx: OwnedTransaction, scope: Scope, id: DeliveryId): Promise<Delivery | undefined> {
  return inScope(trx, scope).where('id', '=', id).executeTakeFirst();
}

/** Oldest first. */
export function listAttempts(trx: OwnedTransaction, delivery: Delivery): Promise<DeliveryAttempt[]> {
  return trx
    .selectFrom('deliveryAttempts')
    .select(['attempt', 'startedAt', 'endedAt', 'outcome', 'status', 'retryAfter', 'error'])
    .where('deliveryId', '=', delivery.id)
    .where('userId', '=', delivery.userId)
    .orderBy('attempt')
    .execute();
}

/** Makes a dead delivery due now, with all its attempts before it again. Returns false when it is not dead. */
export async function reviveDelivery(trx: OwnedTransaction, delivery: Delivery): Promise<boolean> {
  // The target is locked first, like everywhere else.
  await trx
    .insertInto('deliveryTargets')
    .columns(['target', 'userId', 'account', 'dueAt'])
    .expression((query) =>
      query
        .selectFrom('deliveries')
        .select(['target', 'userId', 'account', sql<Date>`now()`.as('dueAt')])
        .where('id', '=', delivery.id)
        .where('userId', '=', delivery.userId),
    )
    .onConflict((known) =>
      known.column('target').doUpdateSet({ dueAt: sql<Date>`least(delivery_targets.due_at, now())` }),
    )
    .execute();
  const { numUpdatedRows } = await trx
    .updateTable('deliveries')
    .set({ state: 'pending', failures: 0, dueAt: sql<Date>`now()`, endedAt: null })
    .where('id', '=', delivery.id)
    .where('userId', '=', delivery.userId)
    .where('state', '=', 'dead')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const inScope = (trx: OwnedTransaction, scope: Scope) =>
  trx
    .selectFrom('deliveries')
    .select(columns)
    .$if(scope !== 'everyone', (query) => query.where('userId', '=', userOf(scope) as UserId));

const columns = [
  'id',
  'userId',
  'kind',
  'target',
  'type',
  'payload',
  'state',
  'attempts',
  'failures',
  'dueAt',
  'lastError',
  'createdAt',
  'endedAt',
] as const;
