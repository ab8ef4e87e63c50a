import { sql } from 'kysely';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

type Place = Pick<ChatPlace, 'accountId' | 'chat'>;

/** The thread that the owner's next message in a chat continues, and the assistant that the chat has chosen. */
export function findChat(
  trx: OwnedTransaction,
  owner: Owner,
  place: Place,
): Promise<{ readonly threadId: ThreadId | null; readonly assistant: string | null } | undefined> {
  return trx
    .selectFrom('chatThreads')
    .select(['threadId', 'assistant'])
    .where('accountId', '=', place.accountId)
    .where('chat', '=', place.chat)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

export async function findChatThread(trx: OwnedTransaction, owner: Owner, place: Place): Promise<ThreadId | undefined> {
  return (await findChat(trx, owner, place))?.threadId ?? undefined;
}

/** Empty for none. */
export async function putChatAssistant(
  trx: OwnedTransaction,
  owner: Owner,
  { accountId, chat }: Place,
  assistant: string,
): Promise<void> {
  await trx
    .insertInto('chatThreads')
    .values({ accountId, chat, userId: owner.userId, threadId: null, assistant })
    .onConflict((known) => known.columns(['accountId', 'chat', 'userId']).doUpdateSet({ assistant }))
    .execute();
}

export async function putChatThread(
  trx: OwnedTransaction,
  owner: Owner,
  { accountId, chat }: Place,
  threadId: ThreadId,
): Promise<void> {
  await trx
    .insertInto('chatThreads')
    .values({ accountId, chat, userId: owner.userId, threadId })
    .onConflict((known) => known.columns(['accountId', 'chat', 'userId']).doUpdateSet({ threadId }))
    .execute();
}

/** What the chat has chosen stays. */
export async function leaveChatThread(trx: OwnedTransaction, owner: Owner, { accountId, chat }: Place): Promise<void> {
  await trx
    .updateTable('chatThreads')
    .set({ threadId: null })
    .where('accountId', '=', accountId)
    .where('chat', '=', chat)
    .where('userId', '=', owner.userId)
    .execute();
}

/** A part of what a turn or a delivery shows. */
export type PartKey = { readonly key: string; readonly part: number };

export type MessageState = {
  readonly remoteId: string | null;
  /** This replica may send it now. */
  readonly isMine: boolean;
  /** It may have been sent before: the replica that tried does not know, or has died. */
  readonly isRepeat: boolean;
  /** The last words are known: only they may be shown from now on. */
  readonly isFinal: boolean;
  /** The last words are shown. */
  readonly isShown: boolean;
  /** Another edit is under way. */
  readonly isLive: boolean;
};

/**
 * Claims the right to send a message that was not sent yet. `final` ends the edits of a stream: later ones are refused. A claim
 * lapses, because the replica that holds it may have died.
 */
export async function claimMessage(
  trx: OwnedTransaction,
  owner: Owner,
  { key, part }: PartKey,
  { final, seconds }: { readonly final: boolean; readonly seconds: number },
): Promise<MessageState> {
  const claim = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
  const mine = await trx
    .insertInto('chatMessages')
    .values({ key, part, userId: owner.userId, claimedUntil: claim, isFinal: final })
    .onConflict((known) => known.columns(['key', 'part']).doNothing())
    .returning('key')
    .executeTakeFirst();
  if (mine) return { remoteId: null, isMine: true, isRepeat: false, isFinal: final, isShown: false, isLive: false };

  const found = await trx
    .selectFrom('chatMessages')
    .select(['remoteId', 'isFinal', 'isShown'])
    .select([
      sql<boolean>`coalesce(live_until > clock_timestamp(), false)`.as('isLive'),
      sql<boolean>`remote_id is null and coalesce(claimed_until < clock_timestamp(), true)`.as('isMine'),
      sql<boolean>`remote_id is null and coalesce(claimed_until > '-infinity', true)`.as('isRepeat'),
    ])
    .where('key', '=', key)
    .where('part', '=', part)
    .where('userId', '=', owner.userId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const isFinal = found.isFinal || final;
  await trx
    .updateTable('chatMessages')
    .set({ isFinal, ...(found.isMine && { claimedUntil: claim }) })
    .where('key', '=', key)
    .where('part', '=', part)
    .where('userId', '=', owner.userId)
    .execute();
  return { ...found, isFinal };
}

/** Records the message that the platform has made. */
export async function recordMessage(
  trx: OwnedTransaction,
  owner: Owner,
  { key, part }: PartKey,
  remoteId: string,
): Promise<void> {
  await trx
    .updateTable('chatMessages')
    .set({ remoteId, claimedUntil: null })
    .where('key', '=', key)
    .where('part', '=', part)
    .where('userId', '=', owner.userId)
    .execute();
}

/** The message is not there any more, so it is sent again. */
export async function forgetMessage(trx: OwnedTransaction, owner: Owner, { key, part }: PartKey): Promise<void> {
  await trx
    .updateTable('chatMessages')
    .set({ remoteId: null, claimedUntil: sql<Date>`'-infinity'` })
    .where('key', '=', key)
    .where('part', '=', part)
    .where('userId', '=', owner.userId)
    .execute();
}

/** What a steered turn without words has shown becomes the message of the turn that continues, unless that has its own. */
export async function passMessage(trx: OwnedTransaction, owner: Owner, turn: TurnId): Promise<void> {
  await runStatement(trx, PASS, [turn, owner.userId]);
}

const PASS = `
  with passed as (
    update chat_messages set is_final = true where key = $1 and part = 0 and user_id = $2 returning remote_id
  )
  insert into chat_messages (key, part, user_id, remote_id)
    select steered_by, 0, user_id, remote_id from turns cross join passed
    where turns.id = $1 and turns.user_id = $2 and steered_by is not null and remote_id is not null
  on conflict do nothing`;

export async function markShown(trx: OwnedTransaction, owner: Owner, { key, part }: PartKey): Promise<void> {
  await trx
    .updateTable('chatMessages')
    .set({ isShown: true })
    .where('key', '=', key)
    .where('part', '=', part)
    .where('userId', '=', owner.userId)
    .execute();
}

/** Begins an edit of a stream, for at most `seconds`; null ends it. Returns false once the last words are known. */
export async function markLive(
  trx: OwnedTransaction,
  owner: Owner,
  { key, part }: PartKey,
  seconds: number | null,
): Promise<boolean> {
  const liveUntil = seconds === null ? null : sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
  const { numUpdatedRows } = await trx
    .updateTable('chatMessages')
    .set({ liveUntil })
    .where('key', '=', key)
    .where('part', '=', part)
    .where('userId', '=', owner.userId)
    .$if(seconds !== null, (query) => query.where('isFinal', '=', false))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
