import { sql } from 'kysely';
import type { ChatAccount, ChatLink } from '#domain/chat/chat.ts';
import type { ChatChannel } from '#domain/chat/chat-channel.ts';
import type { ChatAccountId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { Audited } from '../audit.ts';
import type { Database, OwnedTransaction, Owner } from '../connection.ts';
import type { IdentityTransaction } from '../identity-connection.ts';

/** Accounts belong to the installation, like settings. Oldest first. */
export function listChatAccounts(db: Database): Promise<ChatAccount[]> {
  return db.selectFrom('chatAccounts').select(accountColumns).orderBy('id').execute();
}

export function findChatAccount(db: Database, id: ChatAccountId): Promise<ChatAccount | undefined> {
  return db.selectFrom('chatAccounts').select(accountColumns).where('id', '=', id).executeTakeFirst();
}

/** The hash of the secret that the platform sends with each update. */
export async function findUpdateSecret(
  db: Database,
  channel: ChatChannel,
  id: ChatAccountId,
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('chatAccounts')
    .select('secretHash')
    .where('id', '=', id)
    .where('channel', '=', channel)
    .executeTakeFirst();
  return row?.secretHash ?? undefined;
}

type NewAccount = Pick<ChatAccount, 'id' | 'channel' | 'remoteId' | 'name' | 'mode' | 'groups' | 'assistant'> & {
  readonly secretHash: Buffer | null;
  /** Where to begin; null: with what the platform has kept. */
  readonly cursor: string | null;
};

/** Returns false when the account is there already. */
export async function insertChatAccount(trx: Audited<OwnedTransaction>, account: NewAccount): Promise<boolean> {
  const inserted = await trx
    .insertInto('chatAccounts')
    .values(account)
    .onConflict((known) => known.columns(['channel', 'remoteId']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Returns whether there is such an account. */
export async function setChatAssistant(
  trx: Audited<OwnedTransaction>,
  id: ChatAccountId,
  assistant: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('chatAccounts')
    .set({ assistant })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Its links, threads and updates go with it. Returns whether there was one. */
export async function deleteChatAccount(trx: Audited<OwnedTransaction>, id: ChatAccountId): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('chatAccounts').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Oldest first. */
export function listChatLinks(trx: OwnedTransaction, owner: Owner): Promise<ChatLink[]> {
  return trx
    .selectFrom('chatLinks')
    .select(['accountId', 'sender', 'userId', 'name', 'chat', 'createdAt'])
    .where('userId', '=', owner.userId)
    .orderBy('createdAt')
    .execute();
}

/** Returns whether there was one. */
export async function deleteChatLink(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  { accountId, sender }: Pick<ChatLink, 'accountId' | 'sender'>,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('chatLinks')
    .where('accountId', '=', accountId)
    .where('sender', '=', sender)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** A later code of the owner replaces the earlier ones. */
export async function putChatCode(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  hash: Buffer,
  minutes: number,
): Promise<Date> {
  await trx.deleteFrom('chatCodes').where('userId', '=', owner.userId).execute();
  const { expiresAt } = await trx
    .insertInto('chatCodes')
    .values({ hash, userId: owner.userId, expiresAt: sql<Date>`now() + make_interval(mins => ${minutes})` })
    .returning('expiresAt')
    .executeTakeFirstOrThrow();
  return expiresAt;
}

/** Uses up the owner's code; false when it was used or has expired meanwhile. */
export async function takeChatCode(trx: Audited<OwnedTransaction>, owner: Owner, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('chatCodes')
    .where('hash', '=', hash)
    .where('userId', '=', owner.userId)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function insertChatLink(trx: Audited<OwnedTransaction>, link: Omit<ChatLink, 'createdAt'>): Promise<void> {
  await trx.insertInto('chatLinks').values(link).execute();
}

/** Ends the chats of a user who is removed. */
export async function deleteChatLinksOf(trx: Audited<IdentityTransaction>, userId: UserId): Promise<void> {
  await trx.deleteFrom('chatLinks').where('userId', '=', userId).execute();
  await trx.deleteFrom('chatCodes').where('userId', '=', userId).execute();
}

const accountColumns = [
  'id',
  'channel',
  'remoteId',
  'name',
  'mode',
  'groups',
  'assistant',
  'lastError',
  'failedAt',
  'receivedAt',
  'createdAt',
] as const;
