import type { ChatPlace } from '#domain/chat/chat.ts';
import type { TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { isEnded, type Turn } from '#domain/thread/turn.ts';
import { claimMessage, forgetMessage, markLive, recordMessage } from '#store/chats/messages.ts';
import { type Database, withOwner } from '#store/connection.ts';
import type { Agent } from '../../agent.ts';
import { ChatFailed } from '../chat-port.ts';
import type { Connections, OpenAccount } from '../connections.ts';
import type { HideComposed } from './composed-links.ts';
import { createPace } from './pace.ts';

/** Sent first. Only this can appear twice, when the answer to a request was lost. */
export const PLACEHOLDER = '…';
/** How long a message belongs to the replica that sends or edits it: longer than a request may take. */
export const CLAIM_SECONDS = 20;
const TYPING_MS = 4500;

type LiveParts = {
  readonly db: Database;
  readonly agent: Pick<Agent, 'watch'>;
  readonly connections: Connections;
  readonly hideComposed: HideComposed;
  /** The least time between two edits, instead of the one that suits the platform. */
  readonly everyMs?: number | undefined;
  readonly claimSeconds?: number | undefined;
  readonly onError: (error: unknown) => void;
};

/** A turn, and where its reply is shown. */
type Following = { readonly owner: Principal; readonly place: ChatPlace; readonly turn: Turn };

export type LiveReplies = ReturnType<typeof createLiveReplies>;

/**
 * Shows replies while they are written, by editing a message about once a second. Nothing depends on it: the delivery of the turn
 * shows the last words, also when the replica that streamed has died. No edit of a stream can come after that delivery.
 */
export function createLiveReplies(parts: LiveParts) {
  const { onError } = parts;
  const following = new Map<TurnId, { readonly stop: AbortController; readonly ended: Promise<void> }>();

  return {
    follow(owner: Principal, place: ChatPlace, turn: Turn): void {
      if (following.has(turn.id) || isEnded(turn)) return;
      const stop = new AbortController();
      const ended = streamReply(parts, { owner, place, turn }, stop.signal)
        .catch((error: unknown) => {
          if (!stop.signal.aborted) onError(error);
        })
        .finally(() => following.delete(turn.id));
      following.set(turn.id, { stop, ended });
    },
    /** Ends the edits of this replica. */
    async settle(turnId: TurnId): Promise<void> {
      const live = following.get(turnId);
      live?.stop.abort();
      await live?.ended;
    },
    async stop(): Promise<void> {
      const all = [...following.values()];
      for (const { stop } of all) stop.abort();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

async function streamReply(parts: LiveParts, following: Following, signal: AbortSignal): Promise<void> {
  const { owner, place, turn } = following;
  const opened = await parts.connections.open(place.accountId);
  if (!opened?.connection.edit || signal.aborted) return;
  const typing = showTyping(opened, place.chat, signal);
  const everyMs = parts.everyMs ?? opened.port.editEveryMs ?? 1000;
  const show = async (words: string) =>
    showWords(parts, opened, following, await parts.hideComposed(owner, turn, words));
  const pace = createPace(everyMs, show, parts.onError);
  let said = '';
  try {
    for await (const { event } of parts.agent.watch(owner, turn, { signal })) {
      if (event.type === 'turn-ended') return;
      if (event.type === 'item-added' && event.item.type === 'message' && said) said += '\n\n';
      if (event.type !== 'text-delta') continue;
      said += event.delta;
      pace.offer(said);
    }
  } finally {
    typing.stop();
    await pace.stop();
  }
}

/** Returns how long to wait before the next update of the chat. */
async function showWords(
  { db, claimSeconds: seconds = CLAIM_SECONDS }: LiveParts,
  { connection, port }: OpenAccount,
  { owner, place, turn: { id: key } }: Following,
  words: string,
): Promise<number> {
  const part = { key, part: 0 };
  const inTransaction = <T>(act: Parameters<typeof withOwner<T>>[2]) => withOwner(db, owner, act);
  const state = await inTransaction((trx) => claimMessage(trx, owner, part, { final: false, seconds }));
  if (state.isFinal) return 0;
  try {
    let { remoteId } = state;
    // If it may have been sent already, the delivery of the turn finds out.
    if (remoteId === null && (!state.isMine || state.isRepeat)) return 0;
    if (remoteId === null) {
      remoteId = await connection.send(place.chat, { markdown: PLACEHOLDER, replyTo: place.replyTo }, `${key}:0`);
      const made = remoteId;
      await inTransaction((trx) => recordMessage(trx, owner, part, made));
    }
    if (!(await inTransaction((trx) => markLive(trx, owner, part, seconds)))) return 0;
    await connection.edit?.(place.chat, remoteId, { markdown: `${port.split(words)[0] ?? ''} ${PLACEHOLDER}` });
    return 0;
  } catch (error) {
    if (!(error instanceof ChatFailed)) throw error;
    const wasRefused = error.result.outcome !== 'failed' && error.result.outcome !== 'interrupted';
    if (state.isMine && wasRefused) await inTransaction((trx) => forgetMessage(trx, owner, part));
    return 'retryAfterSeconds' in error.result ? (error.result.retryAfterSeconds ?? 10) * 1000 : 10_000;
  } finally {
    await inTransaction((trx) => markLive(trx, owner, part, null));
  }
}

function showTyping({ connection }: OpenAccount, chat: string, signal: AbortSignal) {
  const show = () => void (signal.aborted ? undefined : connection.showTyping(chat).catch(() => {}));
  show();
  const timer = setInterval(show, TYPING_MS);
  return { stop: () => clearInterval(timer) };
}
