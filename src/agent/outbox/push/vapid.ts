import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { audited } from '#store/audit.ts';
import { claimSetting } from '#store/settings.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';

/** The key pair that identifies this installation to push services (RFC 8292). */
export type Vapid = {
  /** An uncompressed point in base64url, as browsers want it for a subscription. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
};

export type FindVapid = () => Promise<Vapid>;

/** No tool can name it, because names of secrets can't contain a colon. */
const SECRET = 'push:vapid';
const SETTING = 'push_public_key';

/**
 * Finds the key pair of this installation, and makes it when there is none. It is encrypted like other secrets. Without it, all
 * subscriptions are lost, so it is never replaced.
 */
export function createVapid(secrets: Secrets): FindVapid {
  let found: Promise<Vapid> | undefined;
  return () => {
    found ??= provide(secrets).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

function provide(secrets: Secrets): Promise<Vapid> {
  return secrets.inVault('everyone', async (vault, trx) => {
    const find = async () => {
      const stored = await vault.find(SECRET);
      return stored && toVapid(stored.reveal());
    };
    const known = await find();
    if (known) return known;
    await vault.claimKey();
    const made = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const json = JSON.stringify(made);
    const { publicKey } = toVapid(json);
    const entry = { actor: 'operator', action: 'settings.change', subject: SETTING, detail: { publicKey } };
    // Of two replicas that start together, the second one waits here for the first, and then finds its key.
    const isFirst = await audited(
      trx,
      (writing) => claimSetting(writing, SETTING, { publicKey }),
      (first) => (first ? entry : 'no right changed'),
    );
    const other = isFirst ? undefined : await find();
    if (other) return other;
    await vault.change((writer) => writer.put(SECRET, json), { action: 'secret.put', name: SECRET });
    return toVapid(json);
  });
}

function toVapid(json: string): Vapid {
  const jwk = JSON.parse(json) as { x: string; y: string };
  const point = Buffer.concat([Buffer.of(4), Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: createPrivateKey({ key: { ...jwk }, format: 'jwk' }) };
}

const LIFETIME_SECONDS = 12 * 3600;

/** The header `authorization` of a push to this endpoint. `contact`: how its operators reach ours. */
export function authorizePush(
  endpoint: string,
  { publicKey, privateKey }: Vapid,
  contact: string,
  now = Date.now(),
): string {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + LIFETIME_SECONDS, sub: contact };
  const text = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${publicKey}`;
}
