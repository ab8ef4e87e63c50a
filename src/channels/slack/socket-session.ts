import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Received } from '#agent/chats/chat-port.ts';
import type { NewUpdate } from '#domain/chat/chat.ts';
import { fileUpdate } from './read-update.ts';
import { type Connect, type Envelope, failed, type Link, type LinkPace, openLink } from './socket-link.ts';

export type SessionPace = LinkPace & {
  /** How long to wait for updates in one call; shorter than the lease of the account. */
  readonly waitMs: number;
  /** The socket closes when no one has asked for updates for so long: another replica holds the lease. */
  readonly idleMs: number;
  /** A socket that lives shorter than this is a failure, so that a new one is not opened at once. */
  readonly leastLifeMs: number;
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

export type SocketSession = ReturnType<typeof createSocketSession>;

/**
 * The sockets of an account. Updates are acknowledged by the call that follows their commit: it passes the cursor that was stored with
 * them. Slack repeats what was not acknowledged, to this replica or to the next one.
 */
export function createSocketSession(options: {
  /** Asks Slack for the address of a new socket. */
  readonly askAddress: () => Promise<string>;
  readonly connect: Connect;
  readonly pace: SessionPace;
  readonly onClose: () => void;
}) {
  const { askAddress, connect, pace } = options;
  const stop = new AbortController();
  const links = new Set<Link>();
  const waiting: Waiting[] = [];
  let given: { readonly cursor: string; readonly envelopes: readonly Waiting[] } | undefined;
  let problem: string | undefined;
  let replacing: Promise<void> | undefined;
  let wake = () => {};
  let idle: NodeJS.Timeout | undefined;

  function onEnvelope(envelope: Envelope): void {
    const update = fileUpdate(envelope.payload);
    if (!update) return envelope.acknowledge();
    if (waiting.length >= MOST_WAITING) return; // Slack sends it again
    waiting.push({ ...envelope, update });
    wake();
  }

  async function open(): Promise<void> {
    const url = await askAddress();
    const openedAt = performance.now();
    const link = await openLink({ url, connect, pace, signal: stop.signal, onEnvelope, onLeave: (why) => leave(why) });
    links.add(link);
    void link.closed.then(() => {
      links.delete(link);
      if (performance.now() - openedAt < pace.leastLifeMs) problem ??= 'Slack closes the socket at once.';
      wake();
    });

    /** Slack renews its connections: the next one is opened before this one ends, so that there is no gap. */
    function leave(reason: string): void {
      if (reason === 'link_disabled') problem = 'Socket Mode is turned off in the settings of the app.';
      else
        replacing ??= open()
          .catch((error: unknown) => {
            problem = error instanceof Error ? error.message : String(error);
          })
          .finally(() => {
            replacing = undefined;
            wake();
          });
    }
  }

  function close(): void {
    clearTimeout(idle);
    stop.abort();
    wake();
    options.onClose();
  }

  async function receive(cursor: string | null, signal: AbortSignal): Promise<Received> {
    if (given?.cursor === cursor) for (const { acknowledge } of given.envelopes) acknowledge();
    else waiting.unshift(...(given?.envelopes ?? [])); // they were not stored
    given = undefined;
    const endsAt = performance.now() + pace.waitMs;
    while (waiting.length === 0 && performance.now() < endsAt && !signal.aborted) {
      if (problem !== undefined) {
        const said = problem;
        problem = undefined;
        throw failed(said);
      }
      if (links.size === 0) await (replacing ?? open());
      else await woken(endsAt - performance.now());
    }
    const envelopes = waiting.splice(0, MOST_AT_ONCE);
    if (envelopes.length === 0) return { updates: [], cursor };
    given = { cursor: randomUUID(), envelopes };
    return { updates: envelopes.map(({ update }) => update), cursor: given.cursor };
  }

  async function woken(ms: number): Promise<void> {
    const over = new AbortController();
    wake = () => over.abort();
    await sleep(ms, undefined, { signal: over.signal }).catch(ignoreAbort);
    wake = () => {};
  }

  return {
    async receive(cursor: string | null, signal: AbortSignal): Promise<Received> {
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

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}
