import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnId } from '#domain/ids.ts';
import type { NumberedEvent } from '#domain/thread/turn-event.ts';
import type { EventRun } from './event-log.ts';

const FLUSH_MS = 100;
const EARLIER_WRITE_MS = 500;

export type EventWriter = {
  add(turnId: TurnId, attempt: number, event: NumberedEvent): void;
  /** Events that were added and are possibly not in the log yet. */
  pending(turnId: TurnId): readonly NumberedEvent[];
  readonly flush: () => Promise<void>;
  /**
   * Sends the events that were added. Resolves when they are sent, not when they are stored: PostgreSQL stores them even if
   * this process dies now. If an earlier write takes long, it does not wait for its end.
   */
  sendAhead(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * One per process: collects the events of all its turns and writes them together every 100 ms, never one by one.
 * A failed write is kept and retried unchanged before anything newer: it may have been stored although the answer was
 * lost, and the log accepts each row only once.
 */
export function createEventWriter(
  write: (runs: readonly EventRun[]) => Promise<void>,
  options: { readonly isAway: (error: unknown) => boolean; readonly onError: (error: unknown) => void },
): EventWriter {
  let gathered = new Map<TurnId, GatheredRun>();
  let writing = new Map<TurnId, GatheredRun>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;
  let stopped = false;

  function add(turnId: TurnId, attempt: number, event: NumberedEvent): void {
    const run = gathered.get(turnId);
    if (run?.attempt === attempt) run.events.push(event);
    else gathered.set(turnId, { turnId, attempt, events: [event] });
    if (!stopped) timer ??= setTimeout(() => void flush(), FLUSH_MS);
  }

  async function flushOnce(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (writing.size === 0) {
      writing = gathered;
      gathered = new Map();
    }
    if (writing.size === 0) return;
    try {
      await write([...writing.values()]);
      writing = new Map();
    } catch (error) {
      options.onError(error);
      if (!options.isAway(error)) await writeEach();
    }
    if (writing.size + gathered.size > 0 && !stopped) timer ??= setTimeout(() => void flush(), FLUSH_MS);
  }

  /** Writes each run by itself, so that one bad run can't block the others. */
  async function writeEach(): Promise<void> {
    for (const run of writing.values()) await write([run]).catch(options.onError);
    writing = new Map();
  }

  function flush(): Promise<void> {
    const flushed = flushing ? flushing.then(flushOnce) : flushOnce();
    flushing = flushed;
    void flushed.then(() => {
      if (flushing === flushed) flushing = undefined;
    });
    return flushed;
  }

  async function sendAhead(): Promise<void> {
    if (flushing) await Promise.race([flushing, sleep(EARLIER_WRITE_MS, undefined, { ref: false })]);
    if (gathered.size > 0) void flush();
  }

  return {
    add,
    pending: (turnId) => [...(writing.get(turnId)?.events ?? []), ...(gathered.get(turnId)?.events ?? [])],
    flush,
    sendAhead,
    stop: async () => {
      stopped = true;
      await flush();
      await flush(); // the first flush may have been retrying an earlier failure
      clearTimeout(timer);
    },
  };
}

type GatheredRun = EventRun & { readonly events: NumberedEvent[] };
