import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Received } from '#agent/chats/chat-port.ts';
import type { NewUpdate } from '#domain/chat/chat.ts';
import { fileUpdate } from './read-update.ts';
import { type Connect, type Envelope, failed } from './socket-link.ts';
import { createSocketLinks, type LinksPace } from './socket-links.ts';

export type SessionPace = LinksPace & {
  /** How long to wait for updates in one call; shorter than the lease of the account. */
  readonly waitMs: number;
  /** The socket closes when no one has asked for updates for so long: another replica holds the lease. */
  readonly idleMs: number;
};

export const SESSION_PACE: SessionPace = {
  pingEveryMs: 10_000,
  openMs: 12_000,
  waitMs: 20_000,
  idleMs: 15_000,
  leastLifeMs: 2000,
};

type Waiting = Envelope & { readonly update: NewUpdate };

const MOST_WAITING = 500;
const MOST_AT_ONCE = 100;

type Options = {
  /** Asks Slack for the address of a new socket. */
  readonly askAddress: () => Promise<string>;
  readonly connect: Connect;
  readonly pace: SessionPace;
  readonly onClose: () => void;
};

export type SocketSession = {
  /** Waits for updates. `cursor` acknowledges those that were returned with it. */
  receive(cursor: string | null, signal: AbortSignal): Promise<Received>;
};

/**
 * The sockets of an account. Updates are acknowledged by the call that follows their commit: it passes the cursor that was stored with
 * them. Slack repeats what was not acknowledged, to this replica or to the next one.
 */
export function createSocketSession({ askAddress, connect, pace, onClose }: Options): SocketSession {
  const stop = new AbortController();
  const waiting: Waiting[] = [];
  const alarm = createAlarm();
  let given: { readonly cursor: string; readonly envelopes: readonly Waiting[] } | undefined;
  let idle: NodeJS.Timeout | undefined;
  const links = createSocketLinks({
    askAddress,
    connect,
    pace,
    signal: stop.signal,
    onChange: () => alarm.ring(),
    onEnvelope(envelope) {
      const update = fileUpdate(envelope.payload);
      if (!update) return envelope.acknowledge();
      if (waiting.length >= MOST_WAITING) return; // Slack sends it again
      waiting.push({ ...envelope, update });
      alarm.ring();
    },
  });

  function close(): void {
    clearTimeout(idle);
    stop.abort();
    alarm.ring();
    onClose();
  }

  function acknowledge(cursor: string | null): void {
    if (given?.cursor === cursor) for (const envelope of given.envelopes) envelope.acknowledge();
    else waiting.unshift(...(given?.envelopes ?? [])); // they were not stored
    given = undefined;
  }

  async function receive(cursor: string | null, signal: AbortSignal): Promise<Received> {
    acknowledge(cursor);
    const endsAt = performance.now() + pace.waitMs;
    while (waiting.length === 0 && performance.now() < endsAt && !signal.aborted) {
      const problem = links.takeProblem();
      if (problem !== undefined) throw failed(problem);
      if (links.count() === 0) await links.open();
      else await alarm.wait(endsAt - performance.now());
    }
    const envelopes = waiting.splice(0, MOST_AT_ONCE);
    if (envelopes.length === 0) return { updates: [], cursor };
    given = { cursor: randomUUID(), envelopes };
    return { updates: envelopes.map(({ update }) => update), cursor: given.cursor };
  }

  return {
    async receive(cursor, signal) {
      clearTimeout(idle);
      signal.addEventListener('abort', close);
      try {
        return await receive(cursor, signal);
      } finally {
        signal.removeEventListener('abort', close);
        if (signal.aborted) close();
        else idle = setTimeout(close, pace.idleMs);
      }
    },
  };
}

/** Ends a wait before its time. */
function createAlarm() {
  let ring = () => {};
  return {
    ring: () => ring(),
    async wait(ms: number): Promise<void> {
      const over = new AbortController();
      ring = () => over.abort();
      await sleep(ms, undefined, { signal: over.signal }).catch(ignoreAbort);
      ring = () => {};
    },
  };
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}
