import type { ChatPlace } from '#domain/chat/chat.ts';
import type { ChatAccountId, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { emit } from '#store/notifications/outbox.ts';
import type { StoredUpdate, UpdateEnd } from '#store/system/chats.ts';
import type { Agent } from '../../agent.ts';
import type { Incoming } from '../chat-port.ts';
import type { Connections, OpenAccount } from '../connections.ts';
import type { LiveReplies } from '../outgoing/live-replies.ts';
import type { Linking } from './linking.ts';

export type HandlerParts = {
  readonly db: Database;
  readonly agent: Agent;
  readonly connections: Connections;
  readonly linking: Linking;
  readonly live: LiveReplies;
  /** How many messages a person may send, as in the other channels. */
  readonly sendsPerMinute: number;
  readonly onRefused: (accountId: ChatAccountId, refusal: string) => void;
  readonly findName: (user: Principal) => Promise<string | undefined>;
  readonly askToCompact: (owner: Principal, id: ThreadId, asks: boolean) => Promise<unknown>;
};

/** An update of a linked person, and what it says. */
export type HandledUpdate<Kind extends Incoming['kind'] = Incoming['kind']> = OpenAccount & {
  readonly update: StoredUpdate;
  readonly owner: Principal;
  readonly incoming: Extract<Incoming, { kind: Kind }>;
};

export const DONE: UpdateEnd = { state: 'done' };

type Said = {
  readonly update: StoredUpdate;
  readonly owner: Principal;
  readonly incoming: Pick<Incoming, 'chat' | 'replyTo'>;
};

export function placeOf({ update, incoming: { chat, replyTo } }: Pick<Said, 'update' | 'incoming'>): ChatPlace {
  return { accountId: update.accountId, chat, ...(replyTo !== undefined && { replyTo }) };
}

/** A delivery answers, so that the words arrive once and survive a crash. */
export async function say({ db }: Pick<HandlerParts, 'db'>, said: Said, words: string): Promise<void> {
  const { owner, update } = said;
  const data = { ...placeOf(said), type: 'chat.post', userId: owner.userId, shows: 'text', text: words } as const;
  await withOwner(db, owner, (trx) => emit(trx, owner, { type: 'chat.post', subject: update.id, data }));
}
