import type { DeviceId } from '#domain/ids.ts';
import type { Device, NewDevice } from '#domain/notification/device.ts';
import type { UserId } from '#domain/principal.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import type { IdentityTransaction } from '../identity-connection.ts';

/** Oldest first. */
export function listDevices(trx: OwnedTransaction, owner: Owner): Promise<Device[]> {
  return trx.selectFrom('devices').select(columns).where('userId', '=', owner.userId).orderBy('id').execute();
}

export function findDevice(trx: OwnedTransaction, owner: Owner, id: DeviceId): Promise<Device | undefined> {
  return trx
    .selectFrom('devices')
    .select(columns)
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

/** Replaces what is known of the same subscription. `sessionHash`: the session whose end also removes the device. */
export function putDevice(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  device: NewDevice & { readonly id: DeviceId; readonly sessionHash: Buffer | null },
): Promise<Device> {
  const { name, publicKey, auth, details, sessionHash } = device;
  const changed = { name, publicKey, auth, details, sessionHash, events: [...device.events] };
  return trx
    .insertInto('devices')
    .values({ ...device, ...changed, userId: owner.userId })
    .onConflict((known) => known.columns(['userId', 'endpoint']).doUpdateSet(changed))
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Returns whether there was one. */
export async function deleteDevice(trx: Audited<OwnedTransaction>, owner: Owner, id: DeviceId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('devices')
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Removes all devices of a user who is removed. */
export async function deleteDevicesOf(trx: Audited<IdentityTransaction>, userId: UserId): Promise<void> {
  await trx.deleteFrom('devices').where('userId', '=', userId).execute();
}

const columns = ['id', 'userId', 'name', 'endpoint', 'publicKey', 'auth', 'events', 'details', 'createdAt'] as const;
