import { hkdfSync } from 'node:crypto';
import type { Owner } from '#store/connection.ts';
import { openSecret, SecretUnreadable, sealSecret } from './envelope.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';

/** Texts that a client keeps for the service: encrypted, and bound to their user and purpose. */
export type SealedTexts = {
  seal(owner: Owner, value: string): string;
  /** undefined when it was changed, belongs to another user, or was sealed with a key that is no longer configured. */
  open(owner: Owner, sealed: string): string | undefined;
};

/** Each purpose has its own key, so that a sealed text never opens as a stored secret or for another purpose. */
export function createSealedTexts(keys: KeyRing, purpose: string): SealedTexts {
  const derived = deriveRing(keys, purpose);
  const idOf = ({ userId }: Owner) => ({ userId, name: purpose });
  return {
    seal: (owner, value) => sealSecret(derived.current, idOf(owner), value).toString('base64url'),
    open(owner, sealed) {
      const envelope = Buffer.from(sealed, 'base64url');
      if (envelope.toString('base64url') !== sealed) return undefined; // the decoder ignores foreign characters
      try {
        return openSecret(derived, idOf(owner), envelope);
      } catch (error) {
        if (error instanceof SecretUnreadable) return undefined;
        throw error;
      }
    },
  };
}

function deriveRing(keys: KeyRing, purpose: string): KeyRing {
  const derive = (bytes: Buffer) => Buffer.from(hkdfSync('sha256', bytes, '', `reborn sealed text: ${purpose}`, 32));
  const previous = keys.ids.filter((id) => id !== keys.current.id).map((id) => keys.find(id));
  return createKeyRing(derive(keys.current.bytes), ...previous.map((key) => key && derive(key.bytes)));
}
