import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatPost } from '#domain/chat/chat.ts';
import { NotFound } from '#domain/errors.ts';
import type { CarryResult } from '#domain/notification/delivery.ts';
import type { NoticeDetail } from '#domain/notification/notice.ts';
import type { Principal } from '#domain/principal.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import type { TurnRecord } from '#domain/thread/turn.ts';
import { claimMessage, forgetMessage, markShown, recordMessage } from '#store/chats/messages.ts';
import { type Database, withOwner } from '#store/connection.ts';
import type { Agent } from '../agent.ts';
import type { Carry, CarryCall } from '../outbox/deliver.ts';
import { replyOf, wordsOf } from '../turn/turn-reply.ts';
import { ChatFailed, type ChatMessage } from './chat-port.ts';
import type { Connections, OpenAccount } from './connections.ts';
import { messageFor } from './gate-buttons.ts';
import { CLAIM_SECONDS, type LiveReplies, PLACEHOLDER } from './live-replies.ts';

const LOOK_AGAIN_MS = 200;

/**
 * Carries replies and notices to chats. A message is first sent as a placeholder; once its id is stored, it is edited. An edit can be
 * repeated without harm, so the words appear once, although platforms can't recognise a message that is sent twice.
 */
export function createChatCarrier(parts: {
  readonly db: Database;
  readonly agent: Agent;
  readonly connections: Connections;
  readonly live: LiveReplies;
  readonly threadUrl: ThreadUrl;
}): Carry {
  const { db, agent, connections, live, threadUrl } = parts;

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
    try {
      let last: string | undefined;
      for (const [part, message] of messages.entries()) {
        const shown = await place(opened, owner, post, { key, part, message, call });
        if (!shown) return { outcome: 'interrupted', error: 'The messages take longer than one attempt.' };
        last = shown;
      }
      return { outcome: 'sent', ...(last && { remoteId: last }) };
    } catch (error) {
      if (error instanceof ChatFailed) return toResult(error, call);
      throw error;
    }
  };

  type Placing = {
    readonly key: string;
    readonly part: number;
    readonly message: ChatMessage;
    readonly call: CarryCall;
  };

  /** Shows one message; undefined when there was no time left. */
  async function place(
    { connection }: OpenAccount,
    owner: Principal,
    post: ChatPost,
    { key, part, message, call }: Placing,
  ): Promise<string | undefined> {
    const id = { key, part };
    const inTransaction = <T>(act: Parameters<typeof withOwner<T>>[2]) => withOwner(db, owner, act);
    const endsAt = performance.now() + call.timeoutMs * 0.8;
    while (performance.now() < endsAt && !call.signal.aborted) {
      const state = await inTransaction((trx) => claimMessage(trx, owner, id, { final: true, seconds: CLAIM_SECONDS }));
      if (state.isShown && state.remoteId !== null) return state.remoteId;
      // A replica is editing or sending it, or has died while doing so: wait until that can't happen any more.
      if (state.isLive || (state.remoteId === null && !state.isMine)) {
        await sleep(LOOK_AGAIN_MS);
        continue;
      }
      const replyTo = part === 0 ? post.replyTo : undefined;
      let { remoteId } = state;
      if (remoteId === null) {
        const first = connection.edit ? { markdown: PLACEHOLDER, replyTo } : { ...message, replyTo };
        remoteId = (state.isRepeat && (await connection.findSent?.(post.chat, `${key}:${part}`))) || null;
        remoteId ??= await connection.send(post.chat, first, `${key}:${part}`).catch(async (error: unknown) => {
          const wasRefused = error instanceof ChatFailed && error.result.outcome !== 'failed';
          if (wasRefused) await inTransaction((trx) => forgetMessage(trx, owner, id)); // it was certainly not sent
          throw error;
        });
        const made = remoteId;
        await inTransaction((trx) => recordMessage(trx, owner, id, made));
      }
      const isThere = connection.edit ? await connection.edit(post.chat, remoteId, message) : true;
      if (isThere) {
        await inTransaction((trx) => markShown(trx, owner, id));
        return remoteId;
      }
      await inTransaction((trx) => forgetMessage(trx, owner, id));
    }
    return undefined;
  }

  async function compose(opened: OpenAccount, owner: Principal, post: ChatPost): Promise<ChatMessage[] | undefined> {
    const pieces = (markdown: string) => opened.port.split(markdown).map((piece) => ({ markdown: piece }));
    switch (post.shows) {
      case 'text':
        return pieces(post.text);
      case 'notice':
        return composeNotice(opened, owner, post.notice);
      case 'turn': {
        const record = await findTurn(owner, post);
        if (!record) return undefined;
        const gate = record.gate ? await composeGate(opened, owner, record.gate.id) : [];
        const words = wordsFor(record);
        return [...(words || gate.length === 0 ? pieces(words || 'Done.') : []), ...gate];
      }
    }
  }

  async function composeNotice(opened: OpenAccount, owner: Principal, notice: NoticeDetail): Promise<ChatMessage[]> {
    if (notice.type === 'gate.opened') return composeGate(opened, owner, notice.gateId, 'Answered already.');
    const turn =
      'turnId' in notice && notice.threadId && notice.turnId
        ? { threadId: notice.threadId, turnId: notice.turnId }
        : undefined;
    const record = turn && (await findTurn(owner, turn));
    const url = turn && threadUrl(turn.threadId);
    const said = record && notice.type === 'mission.completed' ? wordsFor(record) : '';
    const text = [titleOf(notice), said, url ?? ''].filter((line) => line !== '').join('\n\n');
    return opened.port.split(text).map((piece) => ({ markdown: piece }));
  }

  async function composeGate(
    { port }: OpenAccount,
    owner: Principal,
    id: Parameters<Agent['getGate']>[1],
    otherwise?: string,
  ): Promise<ChatMessage[]> {
    try {
      const gate = await agent.getGate(owner, id);
      return [messageFor(gate, port, threadUrl(gate.threadId))];
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      return otherwise ? [{ markdown: otherwise }] : [];
    }
  }

  async function findTurn(owner: Principal, ids: Parameters<Agent['getTurn']>[1]): Promise<TurnRecord | undefined> {
    try {
      return await agent.getTurn(owner, ids);
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }
}

const joined = (messages: readonly ChatMessage[]): ChatMessage[] => [
  { markdown: messages.map(({ markdown }) => markdown).join('\n\n') },
];

function toResult({ result }: ChatFailed, { signal }: CarryCall): CarryResult {
  return signal.aborted ? { outcome: 'interrupted', error: result.error } : result;
}

function wordsFor(record: TurnRecord): string {
  const words = wordsOf(replyOf(record));
  const { status, failure } = record.turn;
  const more =
    status === 'cancelled'
      ? 'Stopped.'
      : status === 'incomplete'
        ? 'The answer was cut off.'
        : status === 'failed'
          ? `That did not work: ${failure?.message ?? 'the service has failed.'}`
          : '';
  return [words, more].filter((part) => part !== '').join('\n\n');
}

function titleOf(notice: Exclude<NoticeDetail, { type: 'gate.opened' }>): string {
  switch (notice.type) {
    case 'mission.completed':
      return `**${notice.name}**`;
    case 'mission.failed':
      return `**${notice.name}** has failed${notice.reason ? `: ${notice.reason}` : '.'}`;
    case 'mission.paused':
      return `**${notice.name}** was paused: ${notice.reason}`;
    case 'turn.ended':
      return notice.status === 'failed' ? 'A webhook job has failed.' : 'A webhook job has ended.';
    case 'endpoint.test':
    case 'device.test':
      return 'This is a test.';
  }
}
