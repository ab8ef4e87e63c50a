import type { UserId } from '#domain/principal.ts';
import { audited } from '#store/audit.ts';
import type { OwnedTransaction } from '#store/connection.ts';
import { type EncryptedSecret, findSecret, lockSecret, putSecret, removeSecret } from '#store/tools/secrets.ts';
import { openSecret, sealSecret } from './envelope.ts';
import { ownerOf, type SecretHolder } from './holder.ts';
import { claimInstallationKey } from './installation-key.ts';
import type { KeyRing } from './key-ring.ts';
import { hideValue, type Secret } from './secret.ts';

/** Secrets inside a transaction of their owner: plain text for the caller, encrypted in the database. */
export type Vault = ReturnType<typeof openVault>;

/** Only inside `change`. */
export type SecretWriter = {
  put(name: string, value: string, expiresAt?: Date | null): Promise<void>;
  /** Returns whether it existed. */
  remove(name: string): Promise<boolean>;
};

/** For the audit log, which has only names. `actor` is the holder unless another user did it. */
export type SecretChange = {
  readonly action: 'secret.put' | 'secret.remove' | 'secret.renew';
  readonly name: string;
  readonly actor?: UserId | undefined;
};

export function openVault(trx: OwnedTransaction, keys: KeyRing, holder: SecretHolder) {
  const owner = ownerOf(holder);
  const open = (found: EncryptedSecret | undefined): Secret | undefined =>
    found && hideValue(openSecret(keys, { ...owner, name: found.name }, found.ciphertext), found.expiresAt);

  return {
    find: async (name: string) => open(await findSecret(trx, owner, name)),
    /** Locked until the transaction ends. */
    lock: async (name: string) => open(await lockSecret(trx, owner, name)),
    /** Before the first lock of a transaction that will write. Throws when the others could not read what we write. */
    claimKey: () => claimInstallationKey(trx, keys, owner.userId),
    /** Stores and removes, together with what the audit log says of it. */
    change<T>(
      act: (writer: SecretWriter) => Promise<T>,
      change: SecretChange | ((result: T) => SecretChange | 'no right changed'),
    ): Promise<T> {
      return audited(
        trx,
        (writing) =>
          act({
            async put(name, value, expiresAt = null) {
              const ciphertext = sealSecret(keys.current, { ...owner, name }, value);
              await putSecret(writing, owner, { name, ciphertext, keyId: keys.current.id, expiresAt });
            },
            remove: (name) => removeSecret(writing, owner, name),
          }),
        (result) => {
          const made = typeof change === 'function' ? change(result) : change;
          if (made === 'no right changed') return made;
          const { action, name, actor = owner.userId } = made;
          return { actor, action, subject: name, detail: { holder: owner.userId } };
        },
      );
    },
  };
}
