import type { TurnId } from '#domain/ids.ts';
import type { NumberedEvent } from '#domain/turn-event.ts';
import type { EventRun } from './event-log.ts';

const FLUSH_MS = 100;

export type EventWriter = {
  add(turnId: TurnId, attempt: number, event: NumberedEvent): void;
  /** What was added and may not be in the log yet. */
  pending(turnId: TurnId): readonly NumberedEvent[];
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * One per process: gathers the events of all its turns and writes them together every 100 ms, never one by one.
 * What can't be written is kept and tried again, so that a restart of PostgreSQL loses nothing from here.
 */
export function createEventWriter(
  write: (runs: readonly EventRun[]) => Promise<void>,
  onError: (error: unknown) => void,
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
    if (gathered.size === 0) return;
    writing = gathered;
    gathered = new Map();
    try {
      await write([...writing.values()]);
    } catch (error) {
      onError(error);
      keep(writing);
    } finally {
      writing = new Map();
    }
  }

  /** Puts what could not be written back in front of what came since. */
  function keep(runs: Map<TurnId, GatheredRun>): void {
    for (const [turnId, run] of runs) {
      const since = gathered.get(turnId);
      if (!since) gathered.set(turnId, run);
      else if (since.attempt === run.attempt) since.events.unshift(...run.events);
    }
    if (!stopped) timer ??= setTimeout(() => void flush(), FLUSH_MS);
  }

  function flush(): Promise<void> {
    flushing = (flushing ?? Promise.resolve()).then(flushOnce);
    return flushing;
  }

  return {
    add,
    pending: (turnId) => [...(writing.get(turnId)?.events ?? []), ...(gathered.get(turnId)?.events ?? [])],
    flush,
    stop: async () => {
      stopped = true;
      await flush();
      clearTimeout(timer);
    },
  };
}

type GatheredRun = EventRun & { readonly events: NumberedEvent[] };
