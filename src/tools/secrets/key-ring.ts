import { hkdfSync } from 'node:crypto';

/** An AES-256 key and the name it goes by, which is made from it and so is the same on every replica. */
export type SecretsKey = { readonly id: string; readonly bytes: Buffer };

/** Writes with the current key, and reads with any of them. */
export type KeyRing = {
  readonly current: SecretsKey;
  readonly ids: readonly string[];
  find(id: string): SecretsKey | undefined;
};

export function createKeyRing(current: Buffer, ...previous: readonly (Buffer | undefined)[]): KeyRing {
  const key = toKey(current);
  const keys = new Map([key, ...previous.filter((bytes) => bytes !== undefined).map(toKey)].map((k) => [k.id, k]));
  return { current: key, ids: [...keys.keys()], find: (id) => keys.get(id) };
}

function toKey(bytes: Buffer): SecretsKey {
  if (bytes.length !== 32) throw new Error('A key for secrets has 32 bytes.');

  const id = Buffer.from(hkdfSync('sha256', bytes, '', 'reborn secrets key id', 8)).toString('hex');
  // Not enumerable, so that the key is not printed or serialized by accident.
  return Object.defineProperty({ id, bytes }, 'bytes', { enumerable: false });
}
