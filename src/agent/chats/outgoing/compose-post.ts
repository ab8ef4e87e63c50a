import type { ChatPost } from '#domain/chat/chat.ts';
import { NotFound } from '#domain/errors.ts';
import type { NoticeDetail } from '#domain/notification/notice.ts';
import type { Principal } from '#domain/principal.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import type { TurnRecord } from '#domain/thread/turn.ts';
import type { Agent } from '../../agent.ts';
import type { Attachments } from '../../attachments/attachments.ts';
import { replyOf, wordsOf } from '../../watch/turn-reply.ts';
import type { ComposedMessage } from '../chat-port.ts';
import type { OpenAccount } from '../connections.ts';
import type { HideComposed } from './composed-links.ts';
import { messageFor } from './gate-buttons.ts';
import { composeFiles } from './turn-files.ts';

/** The messages of a delivery, read for each attempt. undefined when the turn was deleted. */
export type ComposePost = (
  opened: OpenAccount,
  owner: Principal,
  post: ChatPost,
) => Promise<ComposedMessage[] | undefined>;

/** The order of the messages never changes: what an earlier attempt has shown is recognised by its place. */
export function createComposePost(parts: {
  readonly agent: Pick<Agent, 'getTurn' | 'getGate'>;
  readonly attachments: Pick<Attachments, 'open'>;
  readonly threadUrl: ThreadUrl;
  readonly hideComposed: HideComposed;
}): ComposePost {
  const { agent, attachments, threadUrl, hideComposed } = parts;

  return async (opened, owner, post) => {
    switch (post.shows) {
      case 'text':
        return piecesOf(opened, post.text);
      case 'notice':
        return composeNotice(opened, owner, post.notice);
      case 'turn': {
        const record = await findTurn(owner, post);
        if (!record) return undefined;
        const isSteered = record.turn.steeredBy !== null; // the reply is that of the next turn
        if (isSteered && opened.port.style === 'letter') return [];
        const gate = record.gate ? await composeGate(opened, owner, record.gate.id) : [];
        const words = await hideComposed(owner, record.turn, wordsFor(record));
        const needsWords = gate.length === 0 && !isSteered;
        const said = words || needsWords ? piecesOf(opened, words || 'Done.') : [];
        return [...said, ...filesOf(opened, owner, record), ...gate];
      }
    }
  };

  async function composeNotice(
    opened: OpenAccount,
    owner: Principal,
    notice: NoticeDetail,
  ): Promise<ComposedMessage[]> {
    if (notice.type === 'gate.opened') return composeGate(opened, owner, notice.gateId, 'Answered already.');
    const turn =
      'turnId' in notice && notice.threadId && notice.turnId
        ? { threadId: notice.threadId, turnId: notice.turnId }
        : undefined;
    const record = turn && (await findTurn(owner, turn));
    const url = turn && threadUrl(turn.threadId);
    const result = notice.type === 'mission.completed' ? record : undefined;
    const said = result ? await hideComposed(owner, result.turn, wordsFor(result)) : '';
    const text = [titleOf(notice), said, url ?? ''].filter((line) => line !== '').join('\n\n');
    return [...piecesOf(opened, text), ...(result ? filesOf(opened, owner, result) : [])];
  }

  function filesOf({ port }: OpenAccount, owner: Principal, record: TurnRecord): ComposedMessage[] {
    const url = threadUrl(record.turn.threadId);
    return composeFiles(replyOf(record).made, {
      port,
      read: (part) => attachments.open(owner, part).read(),
      where: url ? `Download it here: ${url}` : 'Download it in the web app.',
    });
  }

  async function composeGate(
    { port }: OpenAccount,
    owner: Principal,
    id: Parameters<Agent['getGate']>[1],
    otherwise?: string,
  ): Promise<ComposedMessage[]> {
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

const piecesOf = ({ port }: OpenAccount, markdown: string): ComposedMessage[] =>
  port.split(markdown).map((piece) => ({ markdown: piece }));

function wordsFor(record: TurnRecord): string {
  const words = wordsOf(replyOf(record));
  const { status, failure, steeredBy } = record.turn;
  const more =
    status === 'cancelled'
      ? 'Stopped.'
      : status === 'incomplete' && !steeredBy
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
    case 'limit.requested':
      return 'A user asks for a higher limit.';
    case 'endpoint.test':
    case 'device.test':
      return 'This is a test.';
  }
}
