import type { DeviceId } from '#domain/ids.ts';
import type { CarryResult } from '#domain/notification/delivery.ts';
import type { Device } from '#domain/notification/device.ts';
import type { Notice } from '#domain/notification/notice.ts';
import type { Egress } from '#egress/egress.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { deleteDevice, findDevice } from '#store/notifications/devices.ts';
import { idIn } from '../carriers.ts';
import type { Carry } from '../deliver.ts';
import { parseRetryAfter } from '../post-signed.ts';
import { encryptPush } from './encrypt-push.ts';
import { authorizePush, type FindVapid } from './vapid.ts';

export type PushCarrierParts = {
  readonly db: Database;
  readonly egress: Egress;
  readonly findVapid: FindVapid;
  /** The message that the service worker gets. `details`: whether it may name tools and missions. */
  readonly render: (notice: Notice, details: boolean) => object;
  /** How operators of push services reach ours: a `mailto:` or `https:` address. */
  readonly contact: string;
};

/** How long a push service keeps a message for a device that can't be reached. Later it would be of no use. */
const TTL_SECONDS = 24 * 3600;

/** Carries notices to browsers, by Web Push (RFC 8030). A repeated message replaces the earlier one, by its topic and its tag. */
export function createPushCarrier({ db, egress, findVapid, render, contact }: PushCarrierParts): Carry {
  return async (delivery, { timeoutMs, signal }) => {
    const owner = { userId: delivery.userId };
    const id = idIn<DeviceId>(delivery);
    const device = id && (await withOwner(db, owner, (trx) => findDevice(trx, owner, id)));
    if (!device || !delivery.payload || delivery.payload.type === 'chat.post')
      return { outcome: 'gone', error: 'The device was removed.' };
    const { endpoint } = device;
    const message = JSON.stringify({ ...render(delivery.payload, device.details), tag: delivery.id });
    const headers = {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(TTL_SECONDS),
      urgency: delivery.type === 'gate.opened' ? 'high' : 'normal',
      topic: delivery.id.replaceAll('-', ''),
      authorization: authorizePush(endpoint, await findVapid(), contact),
    };
    try {
      const body = encryptPush(message, device);
      const request = { method: 'POST', url: endpoint, headers, body, timeoutMs, maxResponseBytes: 65_536, signal };
      const { status, headers: answered } = await egress.send(request);
      const result = toResult(status, parseRetryAfter(answered['retry-after'], Date.now()));
      if (result.outcome === 'gone') await forget(db, device);
      return result;
    } catch (error) {
      if (signal.aborted) return { outcome: 'interrupted', error: 'The replica stopped during the request.' };
      return { outcome: 'failed', error: error instanceof Error ? error.message : String(error) };
    }
  };
}

function toResult(status: number, retryAfterSeconds: number | undefined): CarryResult {
  if (status >= 200 && status < 300) return { outcome: 'sent', status };
  const error = `The push service answered ${status}.`;
  if (status === 404 || status === 410)
    return {
      outcome: 'gone',
      status,
      error: `${error} The browser no longer takes notifications, so the device was removed.`,
    };
  if (status === 429 && retryAfterSeconds !== undefined)
    return { outcome: 'limited', status, error, retryAfterSeconds };
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) return { outcome: 'refused', status, error };
  return { outcome: 'failed', status, error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

async function forget(db: Database, { id, userId, name }: Device): Promise<void> {
  const owner = { userId };
  const entry = { actor: userId, action: 'device.remove', subject: id, detail: { name, reason: 'gone' } };
  await withOwner(db, owner, (trx) =>
    audited(
      trx,
      (writing) => deleteDevice(writing, owner, id),
      (existed) => (existed ? entry : 'no right changed'),
    ),
  );
}
