import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** The keys of a browser's subscription. */
export type PushKeys = {
  /** A point on P-256, uncompressed: 65 bytes. */
  readonly publicKey: Buffer;
  /** 16 bytes. */
  readonly auth: Buffer;
};

/** What a message may have in bytes, so that all push services accept it. */
export const MAX_PUSH_BYTES = 3993;

/** Encrypts a message for one browser, as RFC 8291 defines it: a single record of `aes128gcm` (RFC 8188). */
export function encryptPush(
  message: string,
  to: PushKeys,
  { salt = randomBytes(16), sender = newSender() }: { readonly salt?: Buffer; readonly sender?: Sender } = {},
): Buffer {
  const text = Buffer.from(message);
  if (text.length > MAX_PUSH_BYTES) throw new Error(`A push message may have ${MAX_PUSH_BYTES} bytes.`);
  const senderKey = sender.getPublicKey();
  const shared = sender.computeSecret(to.publicKey);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), to.publicKey, senderKey]);
  const secret = derive(shared, to.auth, info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const record = Buffer.concat([cipher.update(text), cipher.update(LAST_RECORD), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([salt, RECORD_SIZE, Buffer.of(senderKey.length), senderKey, record]);
}

type Sender = ReturnType<typeof createECDH>;

/** Whether the browser's key is a point on the curve. */
export function isPushKey(key: Buffer): boolean {
  if (key.length !== 65 || key[0] !== 4) return false;
  try {
    newSender().computeSecret(key);
    return true;
  } catch {
    return false;
  }
}

function newSender(): Sender {
  const sender = createECDH('prime256v1');
  sender.generateKeys();
  return sender;
}

const LAST_RECORD = Buffer.of(2);
const RECORD_SIZE = Buffer.of(0, 0, 0x10, 0);

const derive = (key: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, bytes));
