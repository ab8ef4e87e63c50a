import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type DeviceId, newId } from '#domain/ids.ts';
import type { Device } from '#domain/notification/device.ts';
import type { Principal } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { deleteDevice, findDevice, listDevices, putDevice } from '#store/notifications/devices.ts';
import { emit } from '#store/notifications/outbox.ts';
import { isPushKey } from './encrypt-push.ts';
import type { FindVapid } from './vapid.ts';

/** A subscription as the browser gives it; its keys are in base64url. */
export type AskedDevice = Pick<Device, 'name' | 'endpoint' | 'events' | 'details'> & {
  readonly p256dh: string;
  readonly auth: string;
  /** The cookie of the browser's session; undefined when a token added the device. */
  readonly session: string | undefined;
};

const MOST_DEVICES = 20;

export type Devices = ReturnType<typeof createDevices>;

/** The browsers that show a user's notifications. */
export function createDevices(db: Database, findVapid: FindVapid) {
  return {
    list: (principal: Principal): Promise<Device[]> => withOwner(db, principal, (trx) => listDevices(trx, principal)),

    /** What a browser needs for a subscription. */
    findPublicKey: async (): Promise<string> => (await findVapid()).publicKey,

    /** Adds the device, or changes it when the same subscription is known. */
    async put(principal: Principal, asked: AskedDevice): Promise<Device> {
      const { name, events, details, session } = asked;
      const endpoint = checkEndpoint(asked.endpoint);
      const publicKey = Buffer.from(asked.p256dh, 'base64url');
      const auth = Buffer.from(asked.auth, 'base64url');
      if (!isPushKey(publicKey)) throw invalid('keys.p256dh', 'keys.p256dh must be a public key on P-256.');
      if (auth.length !== 16) throw invalid('keys.auth', 'keys.auth must have 16 bytes.');
      const id = newId<DeviceId>();
      const sessionHash = session === undefined ? null : hashSecret(session);
      const detail = { name, host: new URL(endpoint).host };
      return withOwner(db, principal, async (trx) => {
        const others = (await listDevices(trx, principal)).filter((each) => each.endpoint !== endpoint);
        if (others.length >= MOST_DEVICES)
          throw invalid(null, `A user can have ${MOST_DEVICES} devices. Remove one first.`);
        const device = { id, name, endpoint, publicKey, auth, events, details, sessionHash };
        return audited(
          trx,
          (writing) => putDevice(writing, principal, device),
          (put) => ({ actor: principal.userId, action: 'device.put', subject: put.id, detail }),
        );
      });
    },

    async remove(principal: Principal, id: DeviceId): Promise<void> {
      const entry = { actor: principal.userId, action: 'device.remove', subject: id, detail: {} };
      await withOwner(db, principal, async (trx) => {
        if (!(await audited(trx, (writing) => deleteDevice(writing, principal, id), entry))) throw noDevice();
      });
    },

    /** Shows a test notification on one device. */
    async test(principal: Principal, id: DeviceId): Promise<void> {
      await withOwner(db, principal, async (trx) => {
        if (!(await findDevice(trx, principal, id))) throw noDevice();
        await emit(trx, principal, { type: 'device.test', subject: id });
      });
    },
  };
}

const invalid = (param: string | null, message: string) => new InvalidRequest('invalid_request', param, message);
const noDevice = () => new NotFound('This device does not exist.');

/** What can be checked now. The address of the host is checked for each message. */
function checkEndpoint(given: string): string {
  const url = URL.parse(given);
  if (url?.protocol !== 'https:' || url.username || url.password || url.port || url.hash)
    throw invalid('endpoint', 'endpoint must be an https address on port 443, as the browser gave it.');
  return url.href;
}
