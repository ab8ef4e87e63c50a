import { createHmac } from 'node:crypto';

/** The content that Standard Webhooks signs. The id must not contain a dot, which separates it from the timestamp. */
export type SignedWebhook = {
  readonly id: string;
  /** Seconds since 1970: of this attempt, not of the event. */
  readonly timestamp: number;
  readonly body: string | Buffer;
  /** `whsec_` and the key in base64. */
  readonly secret: string;
};

/** The value of `webhook-signature`, for sending and for checking. */
export function signStandardWebhook({ id, timestamp, body, secret }: SignedWebhook): string {
  const key = findSigningKey(secret);
  if (!key) throw new Error('A Standard Webhooks secret is whsec_ followed by base64.');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** The key in a secret; undefined for an invalid one. The prefix is optional, because some senders omit it. */
export function findSigningKey(secret: string): Buffer | undefined {
  const encoded = secret.replace(/^whsec_/, '');
  const key = Buffer.from(encoded, 'base64');
  return key.length > 0 && unpadded(key.toString('base64')) === unpadded(encoded) ? key : undefined;
}

const unpadded = (base64: string) => base64.replace(/=+$/, '');

/**
 * The text whose bytes sign our own callbacks. It is made from the secret that callers send, and doesn't give it away:
 * who can check a callback can't send a message.
 */
export function deriveSigningText(webhookSecret: string): string {
  return createHmac('sha256', webhookSecret).update('reborn callback signing').digest('hex');
}

/** Any text as a Standard Webhooks secret, whose key is the text itself. */
export const toSigningSecret = (text: string): string => `whsec_${Buffer.from(text).toString('base64')}`;
