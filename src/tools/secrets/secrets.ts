import type { UserId } from '#domain/principal.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { listSecrets, type SecretEntry } from '#store/tools/secrets.ts';
import { holdersFor, ownerOf, type SecretHolder } from './holder.ts';
import { findKeyProblem } from './installation-key.ts';
import type { KeyRing } from './key-ring.ts';
import { type Rotation, rotateSecrets } from './rotate-secrets.ts';
import type { Secret } from './secret.ts';
import { checkSecretName, grantName, isSecretName } from './secret-name.ts';
import { openVault, type SecretWriter, type Vault } from './vault.ts';

export type PutOptions = {
  readonly expiresAt?: Date;
  /** Who stores it, if that is not the holder. */
  readonly actor?: UserId;
};

export type Secrets = {
  put(holder: SecretHolder, name: string, value: string, options?: PutOptions): Promise<void>;
  /** The user's own, or else everyone's; one that has expired is none. */
  find(holder: SecretHolder, name: string): Promise<Secret | undefined>;
  exists(holder: SecretHolder, name: string): Promise<boolean>;
  /** Whether there was one. Everyone's stays when a user's own goes. */
  remove(holder: SecretHolder, name: string): Promise<boolean>;
  /** The holder's own, without values. */
  list(holder: SecretHolder): Promise<SecretEntry[]>;
  /** Encrypts everything again with the current key. */
  rotate(): Promise<Rotation>;
  /** Words for the log when this process's key is not the one that is in use. */
  findKeyProblem(): Promise<string | undefined>;
  /** One transaction of the holder. It does not check names. */
  inVault<T>(holder: SecretHolder, act: (vault: Vault, trx: OwnedTransaction) => Promise<T>): Promise<T>;
};

/** Secrets at rest: encrypted before they leave the process, and read only where they are used. */
export function createSecrets({ db, keys }: { readonly db: Database; readonly keys: KeyRing }): Secrets {
  const inVault: Secrets['inVault'] = (holder, act) =>
    withOwner(db, ownerOf(holder), (trx) => act(openVault(trx, keys, holder), trx));

  const find = async (holder: SecretHolder, name: string): Promise<Secret | undefined> => {
    checkSecretName(name);
    for (const each of holdersFor(holder)) {
      const found = await inVault(each, (vault) => vault.find(name));
      // Also when it has expired: everyone's secret must not silently replace the user's own.
      if (found) return hasExpired(found) ? undefined : found;
    }
    return undefined;
  };

  return {
    find,
    inVault,
    async put(holder, name, value, { expiresAt, actor } = {}) {
      checkSecretName(name);
      checkValue(name, value);
      await inVault(holder, async (vault) => {
        await vault.claimKey();
        const put = async (writer: SecretWriter) => {
          await writer.remove(grantName(name));
          await writer.put(name, value, expiresAt);
        };
        await vault.change(put, { action: 'secret.put', name, actor });
      });
    },
    exists: async (holder, name) => (await find(holder, name)) !== undefined,
    async remove(holder, name) {
      checkSecretName(name);
      const remove = async (writer: SecretWriter) => {
        const hadGrant = await writer.remove(grantName(name));
        const existed = await writer.remove(name);
        return { existed, hadGrant };
      };
      const { existed } = await inVault(holder, (vault) =>
        vault.change(remove, ({ existed: had, hadGrant }) =>
          had || hadGrant ? { action: 'secret.remove', name } : 'no right changed',
        ),
      );
      return existed;
    },
    async list(holder) {
      const entries = await withOwner(db, ownerOf(holder), (trx) => listSecrets(trx, ownerOf(holder)));
      return entries.filter(({ name }) => isSecretName(name));
    },
    rotate: () => rotateSecrets(db, keys),
    findKeyProblem: () => findKeyProblem(db, keys),
  };
}

const MAX_VALUE_BYTES = 64 * 1024;

function hasExpired({ expiresAt }: Secret): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}

/** What could not be given back letter by letter is refused. */
function checkValue(name: string, value: string): void {
  if (value === '') throw new Error(`The secret "${name}" is empty; give it a value, or remove it.`);
  if (!value.isWellFormed()) throw new Error(`The secret "${name}" is not valid Unicode text.`);
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) throw new Error(`The secret "${name}" is longer than 64 KiB.`);
}
