import type { EndpointId } from '#domain/ids.ts';
import type { Endpoint, NewEndpoint, QuietHours } from '#domain/notification/endpoint.ts';
import type { UserId } from '#domain/principal.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import type { IdentityTransaction } from '../identity-connection.ts';

/** Oldest first. */
export function listEndpoints(trx: OwnedTransaction, owner: Owner): Promise<Endpoint[]> {
  return trx
    .selectFrom('notificationEndpoints')
    .select(columns)
    .where('userId', '=', owner.userId)
    .orderBy('id')
    .execute();
}

export function findEndpoint(trx: OwnedTransaction, owner: Owner, id: EndpointId): Promise<Endpoint | undefined> {
  return trx
    .selectFrom('notificationEndpoints')
    .select(columns)
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

export function insertEndpoint(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  endpoint: NewEndpoint & { readonly id: EndpointId },
): Promise<Endpoint> {
  return trx
    .insertInto('notificationEndpoints')
    .values({ ...endpoint, events: [...endpoint.events], userId: owner.userId })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Returns whether there was one. */
export async function deleteEndpoint(trx: Audited<OwnedTransaction>, owner: Owner, id: EndpointId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('notificationEndpoints')
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Removes all endpoints of a user who is removed. Their open deliveries find none, and end. */
export async function deleteEndpointsOf(trx: Audited<IdentityTransaction>, userId: UserId): Promise<void> {
  await trx.deleteFrom('notificationEndpoints').where('userId', '=', userId).execute();
}

export async function findQuietHours(trx: OwnedTransaction, owner: Owner): Promise<QuietHours | null> {
  const row = await trx
    .selectFrom('notificationPreferences')
    .select('quiet')
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return row?.quiet ?? null;
}

export async function putQuietHours(trx: OwnedTransaction, owner: Owner, quiet: QuietHours | null): Promise<void> {
  const stored = quiet && JSON.stringify(quiet);
  await trx
    .insertInto('notificationPreferences')
    .values({ userId: owner.userId, quiet: stored })
    .onConflict((known) => known.column('userId').doUpdateSet({ quiet: stored, updatedAt: new Date() }))
    .execute();
}

const columns = [
  'id',
  'userId',
  'name',
  'url',
  'events',
  'turns',
  'everyone',
  'results',
  'goneAt',
  'createdAt',
] as const;
