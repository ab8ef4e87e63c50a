import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { findOwnersUnderOtherKeys, lockSecretUnderOtherKey, replaceCiphertext } from '#store/tools/secrets.ts';
import { openSecret, SecretUnreadable, sealSecret } from './envelope.ts';
import { nameInstallationKey } from './installation-key.ts';
import type { KeyRing } from './key-ring.ts';

/** What is unreadable stays as it is: its key may still turn up. */
export type Rotation = { readonly rotated: number; readonly unreadable: number };

const OWNERS_AT_ONCE = 1000;

/**
 * Encrypts everything again with the current key. One secret is one transaction, so that it can be stopped anywhere and
 * run again, beside writers and beside itself.
 */
export async function rotateSecrets(db: Database, keys: KeyRing): Promise<Rotation> {
  await nameInstallationKey(db, keys); // from now on who lacks the new key stores nothing
  const counts = { rotated: 0, unreadable: 0 };
  for await (const owner of ownersToRotate(db, keys)) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const done = await rotateNext(db, keys, owner, after);
      if (done) counts[done.outcome]++;
      after = done?.name;
    }
  }
  return counts;
}

async function* ownersToRotate(db: Database, keys: KeyRing): AsyncGenerator<Owner> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const owners = await findOwnersUnderOtherKeys(db, [keys.current.id], after, OWNERS_AT_ONCE);
    yield* owners;
    after = owners.at(-1)?.userId;
  }
}

type Rotated = { readonly name: string; readonly outcome: keyof Rotation };

function rotateNext(db: Database, keys: KeyRing, owner: Owner, after: string): Promise<Rotated | undefined> {
  return withOwner(db, owner, async (trx): Promise<Rotated | undefined> => {
    const secret = await lockSecretUnderOtherKey(trx, owner, keys.current.id, after);
    if (!secret) return undefined;

    const { name } = secret;
    const id = { userId: owner.userId, name };
    const value = openIfReadable(() => openSecret(keys, id, secret.ciphertext));
    if (value === undefined) return { name, outcome: 'unreadable' };

    const ciphertext = sealSecret(keys.current, id, value);
    await replaceCiphertext(trx, owner, { ...secret, ciphertext, keyId: keys.current.id });
    return { name, outcome: 'rotated' };
  });
}

function openIfReadable(open: () => string): string | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof SecretUnreadable) return undefined;
    throw error;
  }
}
