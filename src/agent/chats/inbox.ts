import { backoff } from '#domain/backoff.ts';
import type { NewUpdate } from '#domain/chat/chat.ts';
import { type ChatAccountId, newId, type ReplicaId, type UpdateId } from '#domain/ids.ts';
import type { Engine } from '#engine/engine.ts';
import { startWorkQueue } from '#engine/work-queue.ts';
import {
  endUpdate,
  leaseAccounts,
  type PollLease,
  pruneChats,
  recordTrouble,
  releaseAccounts,
  type StoredUpdate,
  storeUpdates,
  takeUpdates,
  type UpdateEnd,
} from '#store/system/chats.ts';
import { ChatFailed } from './chat-port.ts';
import type { Connections } from './connections.ts';

export type InboxPace = {
  /** How often to look even though the engine has not reported anything due. */
  readonly lookEveryMs: number;
  /** How long an account belongs to the replica that polls it; longer than one wait for updates. */
  readonly leaseSeconds: number;
  /** The pause after a failed poll. It doubles with each failure in a row. */
  readonly pauseMs: number;
};

const PACE: InboxPace = { lookEveryMs: 30_000, leaseSeconds: 45, pauseMs: 500 };
/** How long an update belongs to the replica that handles it, unless that is declared dead before. */
const HANDLING_SECONDS = 45;
const AT_ONCE = 50;
/** An update that can't be handled after so many tries is set aside, so that the later ones continue. */
const MOST_TRIES = 8;
const RETRY_SECONDS = { first: 2, longest: 300 };
const PRUNE_MS = 3_600_000;

export type Inbox = ReturnType<typeof startInbox>;

/**
 * Receives updates and has each handled once. An update is stored before the platform may forget it; a replica that dies while it
 * handles one leaves it to the others.
 */
export function startInbox(options: {
  readonly engine: Pick<Engine, 'system' | 'replica' | 'followDue' | 'startLeaderTask'>;
  readonly connections: Connections;
  readonly handle: (update: StoredUpdate) => Promise<UpdateEnd>;
  readonly pace?: Partial<InboxPace> | undefined;
  readonly onError: (error: unknown) => void;
}) {
  const { engine, connections, onError } = options;
  const { system, replica } = engine;
  const pace = { ...PACE, ...options.pace };
  const stop = new AbortController();
  const polling = new Map<ChatAccountId, Promise<void>>();

  /** Polls the accounts that no other replica polls. */
  async function pollAccounts(): Promise<boolean> {
    for (const lease of await leaseAccounts(system, replica, pace.leaseSeconds)) {
      if (polling.has(lease.id)) continue;
      const polled = poll(lease)
        .catch(onError)
        .finally(() => polling.delete(lease.id));
      polling.set(lease.id, polled);
    }
    return true;
  }

  /** Polls an account for as long as this replica holds its lease. */
  async function poll(first: PollLease): Promise<void> {
    let failures = 0;
    for (let lease: PollLease | undefined = first; lease && !stop.signal.aborted; ) {
      const opened = await connections.open(lease.id);
      if (!opened) return;
      try {
        const { updates, cursor } = await opened.connection.receive(lease.cursor, stop.signal);
        if (stop.signal.aborted || !(await store(lease.id, updates, { cursor, poller: replica }))) return;
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        if (!(error instanceof ChatFailed)) throw error;
        await recordTrouble(system, lease.id, error.message);
        // Longer pauses than the lease are cut: the platform says again how long it wants to rest.
        const longest = (pace.leaseSeconds * 1000) / 2;
        const own = backoff(++failures, { first: pace.pauseMs, longest });
        const asked = 'retryAfterSeconds' in error.result ? (error.result.retryAfterSeconds ?? 0) * 1000 : 0;
        await pause(Math.min(Math.max(own, asked), longest), stop.signal);
      }
      [lease] = await leaseAccounts(system, replica, pace.leaseSeconds, lease.id);
    }
  }

  async function store(
    id: ChatAccountId,
    updates: readonly NewUpdate[],
    how: { readonly cursor: string | null; readonly poller: ReplicaId | null },
  ): Promise<boolean> {
    const stored = await storeUpdates(
      system,
      id,
      updates.map((update) => ({ ...update, id: newId<UpdateId>() })),
      how,
    );
    if (stored && updates.length > 0) queue.take();
    return stored;
  }

  /** Afterwards the next update of its lane is due. */
  async function handle(update: StoredUpdate): Promise<boolean> {
    const end = await attempt(update);
    await endUpdate(system, update, end);
    if (end.state === 'new') setTimeout(queue.take, end.waitSeconds * 1000).unref();
    return end.state !== 'new';
  }

  async function attempt(update: StoredUpdate): Promise<UpdateEnd> {
    try {
      return await options.handle(update);
    } catch (error) {
      if (!(error instanceof ChatFailed)) onError(error);
      const text = error instanceof ChatFailed ? error.message : 'The log of the service has the reason.';
      const isOver = update.tries >= MOST_TRIES || (error instanceof ChatFailed && error.result.outcome === 'gone');
      return isOver
        ? { state: 'failed', error: text }
        : { state: 'new', waitSeconds: backoff(update.tries, RETRY_SECONDS), error: text };
    }
  }

  const queue = startWorkQueue({
    take: (room) => takeUpdates(system, replica, room, HANDLING_SECONDS),
    handle,
    atOnce: AT_ONCE,
    prepare: pollAccounts,
    pollEveryMs: pace.lookEveryMs,
    wakeOn: (runNow) => engine.followDue('chats', runNow),
    onError,
  });
  const pruning = engine.startLeaderTask('old_chats', PRUNE_MS, () => pruneChats(system));
  return {
    /** Stores an update that the platform has sent to this replica. Once this resolves, it may be acknowledged. */
    accept: (id: ChatAccountId, update: NewUpdate): Promise<boolean> =>
      store(id, [update], { cursor: null, poller: null }),
    /** Looks for accounts and updates now. */
    runNow: queue.runNow,
    async stop(): Promise<void> {
      stop.abort();
      await Promise.all([queue.stop(), pruning.stop()]);
      await Promise.all(polling.values());
      await releaseAccounts(system, replica).catch(onError);
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    clearTimeout(timer);
    resolve();
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', end));
}
