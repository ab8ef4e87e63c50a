import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatPost } from '#domain/chat/chat.ts';
import type { CarryResult } from '#domain/notification/delivery.ts';
import type { Principal } from '#domain/principal.ts';
import { claimMessage, forgetMessage, markShown, passMessage, recordMessage } from '#store/chats/messages.ts';
import { type Database, withOwner } from '#store/connection.ts';
import type { Carry, CarryCall } from '../../outbox/deliver.ts';
import { ChatFailed, type ChatMessage, type ComposedMessage, type SentFile } from '../chat-port.ts';
import type { Connections, OpenAccount } from '../connections.ts';
import type { ComposePost } from './compose-post.ts';
import { CLAIM_SECONDS, type LiveReplies, PLACEHOLDER } from './live-replies.ts';

const CLAIM_AGAIN_MS = 200;
/** Added to the part of a file, for the words that replace it. */
const INSTEAD = 10_000;

/**
 * Carries replies and notices to chats. A message is first sent as a placeholder; once its id is stored, it is edited. An edit can be
 * repeated without harm, so the words appear once, although platforms can't recognise a message that is sent twice.
 */
export function createChatCarrier(parts: CarrierParts): Carry {
  const { connections, live, compose } = parts;

  return async (delivery, call) => {
    const post = delivery.payload;
    const owner: Principal = { userId: delivery.userId, role: 'member' };
    if (post?.type !== 'chat.post') return { outcome: 'refused', error: 'The delivery has no content.' };
    const opened = await connections.open(post.accountId);
    if (!opened) return { outcome: 'gone', error: 'The channel was removed.' };
    const composed = await compose(opened, owner, post);
    const messages = composed && opened.port.style === 'letter' ? joined(composed) : composed;
    if (!messages) return { outcome: 'refused', error: 'The turn was deleted.' };
    const key = post.shows === 'turn' ? post.turnId : delivery.id;
    if (post.shows === 'turn') await live.settle(post.turnId);
    if (post.shows === 'turn' && messages.length === 0)
      await withOwner(parts.db, owner, (trx) => passMessage(trx, owner, post.turnId));
    try {
      let last: string | undefined;
      for (const [part, message] of messages.entries()) {
        const shown = await placeOrSay(parts, { opened, owner, post, key, part, message, call });
        if (!shown) return { outcome: 'interrupted', error: 'The messages take longer than one attempt.' };
        last = shown;
      }
      return { outcome: 'sent', ...(last && { remoteId: last }) };
    } catch (error) {
      if (error instanceof ChatFailed) return toResult(error, call);
      throw error;
    }
  };
}

type CarrierParts = {
  readonly db: Database;
  readonly connections: Connections;
  readonly live: LiveReplies;
  readonly compose: ComposePost;
  readonly claimSeconds?: number | undefined;
};

/** One message of a delivery, and where it goes. */
type Placing = {
  readonly opened: OpenAccount;
  readonly owner: Principal;
  readonly post: ChatPost;
  readonly key: string;
  readonly part: number;
  readonly message: ComposedMessage;
  readonly call: CarryCall;
};

/** Shows words in place of a file that the platform refuses. */
async function placeOrSay(parts: CarrierParts, placing: Placing): Promise<string | undefined> {
  const { opened, part, message } = placing;
  try {
    return await place(parts, placing);
  } catch (error) {
    if (!message.files?.length || !(error instanceof ChatFailed && error.result.outcome === 'refused')) throw error;
    const words = { markdown: message.otherwise ?? message.markdown };
    const isApart = opened.connection.upload !== undefined; // no message can take the words
    return place(parts, { ...placing, part: isApart ? part + INSTEAD : part, message: words });
  }
}

/** Shows one message; undefined when the time was over. */
async function place(parts: CarrierParts, placing: Placing): Promise<string | undefined> {
  const { db, claimSeconds: seconds = CLAIM_SECONDS } = parts;
  const { opened, owner, post, key, part, message, call } = placing;
  const { connection } = opened;
  const id = { key, part };
  const endsAt = performance.now() + call.timeoutMs * 0.8;
  while (performance.now() < endsAt && !call.signal.aborted) {
    const state = await withOwner(db, owner, (trx) => claimMessage(trx, owner, id, { final: true, seconds }));
    if (state.isShown && state.remoteId !== null) return state.remoteId;
    // A replica is editing or sending it, or has died while doing so: wait until that can't happen any more.
    if (state.isLive || (state.remoteId === null && !state.isMine)) {
      await sleep(CLAIM_AGAIN_MS);
      continue;
    }
    const remoteId = state.remoteId ?? (await begin(parts, placing, state.isRepeat));
    const isThere = connection.edit ? await connection.edit(post.chat, remoteId, await readFiles(message)) : true;
    await withOwner(db, owner, (trx) => (isThere ? markShown(trx, owner, id) : forgetMessage(trx, owner, id)));
    if (isThere) return remoteId;
  }
  return undefined;
}

/** Sends the placeholder, or the message itself where nothing can be edited, or uploads the file. Returns the id, once it is stored. */
async function begin({ db }: CarrierParts, placing: Placing, isRepeat: boolean): Promise<string> {
  const { opened, owner, post, key, part, message } = placing;
  const { connection } = opened;
  const id = { key, part };
  const replyTo = part === 0 ? post.replyTo : undefined;
  const file = connection.upload && message.files?.[0];
  const send = async () => {
    if (file && connection.upload) return connection.upload({ ...file, bytes: await file.read() });
    const first = connection.edit ? { markdown: PLACEHOLDER, replyTo } : { ...(await readFiles(message)), replyTo };
    return connection.send(post.chat, first, `${key}:${part}`);
  };
  const mayBeSent = isRepeat && !file; // an upload that was lost is not seen by anyone
  const found = mayBeSent ? await connection.findSent?.(post.chat, `${key}:${part}`) : undefined;
  const remoteId =
    found ||
    (await send().catch(async (error: unknown) => {
      const wasRefused = error instanceof ChatFailed && error.result.outcome !== 'failed';
      // It was certainly not sent, or no one sees it.
      if (wasRefused || file) await withOwner(db, owner, (trx) => forgetMessage(trx, owner, id));
      throw error;
    }));
  await withOwner(db, owner, (trx) => recordMessage(trx, owner, id, remoteId));
  return remoteId;
}

/** All of it in one letter. */
function joined(messages: readonly ComposedMessage[]): ComposedMessage[] {
  const wordsOf = (some: readonly ComposedMessage[]) => some.map(({ markdown }) => markdown).join('\n\n');
  const markdown = wordsOf(messages.filter(({ files }) => !files));
  return [{ markdown, otherwise: wordsOf(messages), files: messages.flatMap(({ files }) => files ?? []) }];
}

/** One message at a time, so that the bytes of only one file are held. */
async function readFiles({ files, otherwise: _, ...message }: ComposedMessage): Promise<ChatMessage> {
  if (!files) return message;
  const read: SentFile[] = [];
  for (const file of files) read.push({ ...file, bytes: await file.read() });
  return { ...message, files: read };
}

function toResult({ result }: ChatFailed, { signal }: CarryCall): CarryResult {
  return signal.aborted ? { outcome: 'interrupted', error: result.error } : result;
}
