import type { UserId } from '#domain/principal.ts';
import { recordAudit } from '#store/audit.ts';
import type { OwnedTransaction } from '#store/connection.ts';
import { type EncryptedSecret, findSecret, lockSecret, putSecret, removeSecret } from '#store/secrets.ts';
import { openSecret, sealSecret } from './envelope.ts';
import { ownerOf, type SecretHolder } from './holder.ts';
import { claimInstallationKey } from './installation-key.ts';
import type { KeyRing } from './key-ring.ts';
import { hideValue, type Secret } from './secret.ts';

/** Secrets inside somebody's transaction, in clear on this side and encrypted on the other. */
export type Vault = ReturnType<typeof openVault>;

export function openVault(trx: OwnedTransaction, keys: KeyRing, holder: SecretHolder) {
  const owner = ownerOf(holder);
  const open = (found: EncryptedSecret | undefined): Secret | undefined =>
    found && hideValue(openSecret(keys, { ...owner, name: found.name }, found.ciphertext), found.expiresAt);

  return {
    find: async (name: string) => open(await findSecret(trx, owner, name)),
    /** Nobody else changes it, or finds out that it changed, until the transaction ends. */
    lock: async (name: string) => open(await lockSecret(trx, owner, name)),
    /** Before the first lock of a transaction that will write. Throws when the others could not read what we write. */
    claimKey: () => claimInstallationKey(trx, keys),
    async put(name: string, value: string, expiresAt: Date | null = null): Promise<void> {
      const ciphertext = sealSecret(keys.current, { ...owner, name }, value);
      await putSecret(trx, owner, { name, ciphertext, keyId: keys.current.id, expiresAt });
    },
    /** For the audit log, which learns of names alone. */
    record: (action: 'secret.put' | 'secret.remove', name: string, actor: UserId = owner.userId) =>
      recordAudit(trx, { actor, action, subject: name, detail: { holder: owner.userId } }),
    /** Whether there was one. */
    remove: (name: string) => removeSecret(trx, owner, name),
  };
}
