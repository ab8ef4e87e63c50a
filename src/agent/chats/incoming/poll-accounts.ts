import { backoff } from '#domain/backoff.ts';
import type { NewUpdate } from '#domain/chat/chat.ts';
import type { ChatAccountId } from '#domain/ids.ts';
import type { Engine } from '#engine/engine.ts';
import { leaseAccounts, type PollLease, recordTrouble, releaseAccounts } from '#store/system/chats.ts';
import { ChatFailed } from '../chat-port.ts';
import type { Connections } from '../connections.ts';

export type PollPace = {
  /** How long an account belongs to the replica that polls it; longer than one wait for updates. */
  readonly leaseSeconds: number;
  /** The pause after a failed poll. It doubles with each failure in a row. */
  readonly pauseMs: number;
};

type PollParts = {
  readonly engine: Pick<Engine, 'system' | 'replica'>;
  readonly connections: Connections;
  readonly pace: PollPace;
  /** Stores updates that were received. Returns false when another replica polls the account by now. */
  readonly store: (id: ChatAccountId, updates: readonly NewUpdate[], cursor: string | null) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
};

/** Polls accounts, each on one replica at a time. */
export function createAccountPolls(parts: PollParts) {
  const { engine, pace, onError } = parts;
  const stopping = new AbortController();
  const polling = new Map<ChatAccountId, Promise<void>>();

  return {
    /** Polls the accounts that no other replica polls. */
    async start(): Promise<void> {
      for (const lease of await leaseAccounts(engine.system, engine.replica, pace.leaseSeconds)) {
        if (polling.has(lease.id)) continue;
        const polled = poll(parts, lease, stopping.signal)
          .catch(onError)
          .finally(() => polling.delete(lease.id));
        polling.set(lease.id, polled);
      }
    },
    /** Ends the waits for updates. */
    abort: (): void => stopping.abort(),
    /** Resolves when all polls have ended. Another replica may then continue at once. */
    async release(): Promise<void> {
      await Promise.all(polling.values());
      await releaseAccounts(engine.system, engine.replica).catch(onError);
    },
  };
}

/** Polls an account for as long as this replica holds its lease. */
async function poll(parts: PollParts, first: PollLease, signal: AbortSignal): Promise<void> {
  const { connections, pace, store } = parts;
  const { system, replica } = parts.engine;
  let failures = 0;
  for (let lease: PollLease | undefined = first; lease && !signal.aborted; ) {
    const opened = await connections.open(lease.id);
    if (!opened) return;
    try {
      const { updates, cursor } = await opened.connection.receive(lease.cursor, signal);
      if (signal.aborted || !(await store(lease.id, updates, cursor))) return;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ChatFailed)) throw error;
      await recordTrouble(system, lease.id, error.message);
      await pause(pauseAfter(error, ++failures, pace), signal);
    }
    [lease] = await leaseAccounts(system, replica, pace.leaseSeconds, lease.id);
  }
}

/** Longer pauses than the lease are cut: the platform says again how long it wants to rest. */
function pauseAfter({ result }: ChatFailed, failures: number, { leaseSeconds, pauseMs }: PollPace): number {
  const longest = (leaseSeconds * 1000) / 2;
  const own = backoff(failures, { first: pauseMs, longest });
  const asked = 'retryAfterSeconds' in result ? (result.retryAfterSeconds ?? 0) * 1000 : 0;
  return Math.min(Math.max(own, asked), longest);
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
