import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { newId, type ThreadId } from '#domain/ids.ts';
import type { ContentPart } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { findChat, putChatThread } from '#store/chats/messages.ts';
import { withOwner } from '#store/connection.ts';
import { takeUse } from '#store/spending/rate-windows.ts';
import type { UpdateEnd } from '#store/system/chats.ts';
import { assistantFor } from './choose-assistant.ts';
import { DONE, type HandledUpdate, type HandlerParts, placeOf, say } from './handled-update.ts';
import { readContent } from './read-content.ts';

const BUSY_SECONDS = 2;

/** Starts a turn in the thread of the chat. */
export async function handleMessage(parts: HandlerParts, handled: HandledUpdate<'message'>): Promise<UpdateEnd> {
  const { db, live } = parts;
  const { owner } = handled;
  const rate = { limit: parts.sendsPerMinute, windowSeconds: 60 };
  const use = await takeUse(db, `${rate.limit}/60:chat:${owner.userId}`, rate);
  if (!use.isAllowed) return { state: 'new', waitSeconds: use.retryInSeconds, error: 'The person sends too fast.' };

  const content = await readContent(handled);
  if (content.length === 0) return DONE;
  const place = placeOf(handled);
  const known = await withOwner(db, owner, (trx) => findChat(trx, owner, place));
  const assistant = assistantFor(known?.assistant, handled.account);
  const started = await start(parts, handled, { content, assistant }, known?.threadId ?? undefined);
  if ('state' in started) return started;
  await withOwner(db, owner, (trx) => putChatThread(trx, owner, place, started.threadId));
  live.follow(owner, place, started);
  return { state: 'done', turnId: started.id };
}

/** The id of the update is the idempotency key: an update starts one turn, even if it is handled several times. */
async function start(
  parts: HandlerParts,
  handled: HandledUpdate<'message'>,
  { content, assistant }: { readonly content: readonly ContentPart[]; readonly assistant: string | undefined },
  threadId: ThreadId | undefined,
): Promise<Turn | UpdateEnd> {
  const { owner, update, account } = handled;
  try {
    const { turn } = await parts.agent.startTurn(owner, {
      threadId,
      unknownThread: 'not-found',
      channel: account.channel,
      items: [{ id: newId(), type: 'message', role: 'user', content, status: 'completed' }],
      assistant,
      tools: undefined,
      startsThread: threadId === undefined,
      request: { model: null, temperature: null, echo: { chat: placeOf(handled) } },
      whenBusy: 'preferred',
      idempotency: { key: `chat:${update.id}`, digest: update.id, isLasting: true },
    });
    return turn;
  } catch (error) {
    const isLost = error instanceof NotFound || (error instanceof Conflict && error.code === 'thread_full');
    if (isLost && threadId !== undefined) return start(parts, handled, { content, assistant }, undefined);
    if (error instanceof Conflict && error.code === 'thread_busy')
      return { state: 'new', waitSeconds: BUSY_SECONDS, error: error.message };
    if (error instanceof Conflict) return DONE; // its turn was deleted
    if (!(error instanceof InvalidRequest)) throw error;
    await say(parts, handled, error.message);
    return DONE;
  }
}
