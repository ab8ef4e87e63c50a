import { backoff } from '#domain/backoff.ts';
import type { NewUpdate } from '#domain/chat/chat.ts';
import { type ChatAccountId, newId, type ReplicaId, type UpdateId } from '#domain/ids.ts';
import type { Engine } from '#engine/engine.ts';
import { startWorkQueue } from '#engine/work-queue.ts';
import {
  endUpdate,
  pruneChats,
  type StoredUpdate,
  storeUpdates,
  takeUpdates,
  type UpdateEnd,
} from '#store/system/chats.ts';
import { ChatFailed } from '../chat-port.ts';
import type { Connections } from '../connections.ts';
import { createAccountPolls, type PollPace } from './poll-accounts.ts';

export type InboxPace = PollPace & {
  /** How often to poll even though the engine has not reported anything due. */
  readonly pollEveryMs: number;
};

const PACE: InboxPace = { pollEveryMs: 30_000, leaseSeconds: 45, pauseMs: 500 };
/** How long an update belongs to the replica that handles it, unless that is declared dead before. */
const HANDLING_SECONDS = 45;
const AT_ONCE = 50;
/** An update that can't be handled after so many tries is set aside, so that the later ones continue. */
const MOST_TRIES = 8;
const RETRY_SECONDS = { first: 2, longest: 300 };
const PRUNE_MS = 3_600_000;

export type Inbox = ReturnType<typeof startInbox>;

type InboxOptions = {
  readonly engine: Pick<Engine, 'system' | 'replica' | 'followDue' | 'startLeaderTask'>;
  readonly connections: Connections;
  readonly handle: (update: StoredUpdate) => Promise<UpdateEnd>;
  readonly pace?: Partial<InboxPace> | undefined;
  readonly onError: (error: unknown) => void;
};

/**
 * Receives updates and has each handled once. An update is stored before the platform may forget it; a replica that dies while it
 * handles one leaves it to the others.
 */
export function startInbox(options: InboxOptions) {
  const { engine, connections, onError } = options;
  const { system, replica } = engine;
  const pace = { ...PACE, ...options.pace };

  async function store(
    id: ChatAccountId,
    updates: readonly NewUpdate[],
    how: { readonly cursor: string | null; readonly poller: ReplicaId | null },
  ): Promise<boolean> {
    const named = updates.map((update) => ({ ...update, id: newId<UpdateId>() }));
    const stored = await storeUpdates(system, id, named, how);
    if (stored && updates.length > 0) queue.take();
    return stored;
  }

  const polls = createAccountPolls({
    engine,
    connections,
    pace,
    store: (id, updates, cursor) => store(id, updates, { cursor, poller: replica }),
    onError,
  });
  const queue = startWorkQueue({
    take: (room) => takeUpdates(system, replica, room, HANDLING_SECONDS),
    /** Afterwards the next update of its lane is due. */
    async handle(update) {
      const end = await attempt(options, update);
      await endUpdate(system, update, end);
      if (end.state === 'new') setTimeout(queue.take, end.waitSeconds * 1000).unref();
      return end.state !== 'new';
    },
    atOnce: AT_ONCE,
    async prepare() {
      await polls.start();
      return true;
    },
    pollEveryMs: pace.pollEveryMs,
    wakeOn: (runNow) => engine.followDue('chats', runNow),
    onError,
  });
  const pruning = engine.startLeaderTask('old_chats', PRUNE_MS, () => pruneChats(system));
  return {
    /** Stores an update that the platform has sent to this replica. Once this resolves, it may be acknowledged. */
    accept: (id: ChatAccountId, update: NewUpdate): Promise<boolean> =>
      store(id, [update], { cursor: null, poller: null }),
    /** Polls for accounts and updates now. */
    runNow: queue.runNow,
    async stop(): Promise<void> {
      polls.abort();
      await Promise.all([queue.stop(), pruning.stop()]);
      await polls.release();
    },
  };
}

async function attempt({ handle, onError }: InboxOptions, update: StoredUpdate): Promise<UpdateEnd> {
  try {
    return await handle(update);
  } catch (error) {
    if (!(error instanceof ChatFailed)) onError(error);
    const text = error instanceof ChatFailed ? error.message : 'The log of the service has the reason.';
    const isOver = update.tries >= MOST_TRIES || (error instanceof ChatFailed && error.result.outcome === 'gone');
    return isOver
      ? { state: 'failed', error: text }
      : { state: 'new', waitSeconds: backoff(update.tries, RETRY_SECONDS), error: text };
  }
}
