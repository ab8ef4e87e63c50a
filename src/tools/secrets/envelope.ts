import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing, SecretsKey } from './key-ring.ts';

/** Where a secret belongs. It is authenticated with the ciphertext, so a row that is moved elsewhere can't be opened. */
export type SecretId = { readonly userId: string; readonly name: string };

/** The stored secret can't be read. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

// The format: version (1 byte), key id (8), nonce (12), tag (16), ciphertext.
const VERSION = 1;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES;

export function sealSecret(key: SecretsKey, id: SecretId, value: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(id, key.id));
  const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(key.id, 'hex'), nonce, cipher.getAuthTag(), ciphertext]);
}

export function openSecret(keys: KeyRing, id: SecretId, envelope: Buffer): string {
  if (envelope.length < HEADER_BYTES || envelope[0] !== VERSION) throw damaged(id);
  const keyId = envelope.toString('hex', 1, 1 + KEY_ID_BYTES);
  const key = keys.find(keyId);
  if (!key) throw underAnotherKey(id, keyId);

  const nonce = envelope.subarray(1 + KEY_ID_BYTES, HEADER_BYTES - TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(id, keyId));
  decipher.setAuthTag(envelope.subarray(HEADER_BYTES - TAG_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(envelope.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    throw damaged(id);
  }
}

/** JSON keeps the parts apart: no two places give the same bytes. */
function associatedData({ userId, name }: SecretId, keyId: string): Buffer {
  return Buffer.from(JSON.stringify(['reborn secret', VERSION, userId, name, keyId]));
}

function underAnotherKey({ name }: SecretId, keyId: string): SecretUnreadable {
  return new SecretUnreadable(
    `The secret "${name}" was encrypted with the key ${keyId}, which is not here. ` +
      'Set SECRETS_KEY or SECRETS_KEY_PREVIOUS to that key, or store the secret again.',
  );
}

function damaged({ name }: SecretId): SecretUnreadable {
  return new SecretUnreadable(
    `What is stored as the secret "${name}" was changed, or moved from another place. Store the secret again.`,
  );
}
