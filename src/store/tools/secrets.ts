import { sql } from 'kysely';
import type { Audited } from '../audit.ts';
import type { Database, OwnedTransaction, Owner } from '../connection.ts';

export type EncryptedSecret = {
  readonly name: string;
  readonly ciphertext: Buffer;
  readonly keyId: string;
  readonly expiresAt: Date | null;
};

export type SecretEntry = {
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date | null;
};

/** Stores the secret, replacing one with the same name. */
export async function putSecret(trx: Audited<OwnedTransaction>, owner: Owner, secret: EncryptedSecret): Promise<void> {
  const { name, ciphertext, keyId, expiresAt } = secret;
  await trx
    .insertInto('secrets')
    .values({ userId: owner.userId, name, ciphertext, keyId, expiresAt })
    .onConflict((conflict) =>
      conflict
        .columns(['userId', 'name'])
        .doUpdateSet({ ciphertext, keyId, expiresAt, updatedAt: sql<Date>`clock_timestamp()` }),
    )
    .execute();
}

export function findSecret(trx: OwnedTransaction, owner: Owner, name: string): Promise<EncryptedSecret | undefined> {
  return selectSecret(trx, owner, name).executeTakeFirst();
}

/** Like `findSecret`, and locks it until the transaction ends. */
export function lockSecret(trx: OwnedTransaction, owner: Owner, name: string): Promise<EncryptedSecret | undefined> {
  return selectSecret(trx, owner, name).forUpdate().executeTakeFirst();
}

/** Returns whether there was one. */
export async function removeSecret(trx: Audited<OwnedTransaction>, owner: Owner, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('secrets')
    .where('userId', '=', owner.userId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export function listSecrets(trx: OwnedTransaction, owner: Owner): Promise<SecretEntry[]> {
  return trx
    .selectFrom('secrets')
    .select(['name', 'createdAt', 'updatedAt', 'expiresAt'])
    .where('userId', '=', owner.userId)
    .orderBy('name')
    .execute();
}

/** The owner's next secret, by name after `after`, that is not encrypted with `keyId`; locked. */
export function lockSecretUnderOtherKey(
  trx: OwnedTransaction,
  owner: Owner,
  keyId: string,
  after: string,
): Promise<EncryptedSecret | undefined> {
  return trx
    .selectFrom('secrets')
    .select(columns)
    .where('userId', '=', owner.userId)
    .where('keyId', '<>', keyId)
    .where('name', '>', after)
    .orderBy('name')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

/** Replaces a ciphertext that uses another key. The dates stay, because the secret itself is the same. */
export async function replaceCiphertext(trx: OwnedTransaction, owner: Owner, secret: EncryptedSecret): Promise<void> {
  await trx
    .updateTable('secrets')
    .set({ ciphertext: secret.ciphertext, keyId: secret.keyId })
    .where('userId', '=', owner.userId)
    .where('name', '=', secret.name)
    .execute();
}

/** The next owners, by ID after `after`, that have a secret encrypted with a key other than `known`. */
export async function findOwnersUnderOtherKeys(
  db: Database,
  known: readonly string[],
  after: string,
  most: number,
): Promise<Owner[]> {
  const found = await sql<Owner>`
    select owners_of_secrets_under_other_keys(${known}::text[], ${after}, ${most}) as user_id`.execute(db);
  return found.rows;
}

function selectSecret(trx: OwnedTransaction, owner: Owner, name: string) {
  return trx.selectFrom('secrets').select(columns).where('userId', '=', owner.userId).where('name', '=', name);
}

const columns = ['name', 'ciphertext', 'keyId', 'expiresAt'] as const;
