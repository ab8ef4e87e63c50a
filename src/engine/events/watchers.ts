import type { TurnId } from '#domain/ids.ts';
import type { NumberedEvent } from '#domain/thread/turn-event.ts';
import type { EnginePool } from '../engine-connection.ts';
import { readEvents } from './event-log.ts';
import type { EventWriter } from './event-writer.ts';
import { POLL_MS, pollElsewhere } from './poll-elsewhere.ts';
import { enqueue, newWatcher, type Watcher, waken } from './watcher.ts';

const ROWS_AT_ONCE = 500;

export type WatchOptions = {
  /** The last event the caller has, or -1. */
  readonly after: number;
  /** The turn was just started here, so there is nothing to catch up on. */
  readonly fresh: boolean;
  /** The caller shows nothing before the turn has ended. */
  readonly onlyEnd: boolean;
  readonly signal: AbortSignal;
};

export type Watchers = {
  readonly push: (turnId: TurnId, event: NumberedEvent) => void;
  /** Whether a client of this replica sees the turn's events as they come. */
  readonly isShown: (turnId: TurnId) => boolean;
  countAway(): number;
  /** Another replica has written events or ended turns. */
  pollSoon(): void;
  /**
   * Follows a turn from `after` to its `turn-ended`. Ends without that event when the turn has ended and the log has
   * no more events, because PostgreSQL lost them in a crash or they were deleted.
   */
  readonly watch: (turnId: TurnId, options: WatchOptions) => AsyncGenerator<NumberedEvent, void>;
  /**
   * Waits for the end of a turn that was just started here, and returns its events. Undefined if some may be missing, or after
   * `signal`: `watch` finds them then.
   */
  readonly collect: (turnId: TurnId, signal: AbortSignal) => Promise<readonly NumberedEvent[] | undefined>;
  stop(): Promise<void>;
};

type WatchersOptions = {
  readonly pool: EnginePool;
  readonly writer: EventWriter;
  /** How many events the attempt that runs here has emitted; undefined if the turn doesn't run here. */
  readonly eventCount: (turnId: TurnId) => number | undefined;
  /** A watcher of a turn that runs elsewhere was added or removed. */
  readonly onAway: () => void;
  readonly onError: (error: unknown) => void;
};

/**
 * All watchers of turns in this process:
 *
 * 1. Events of turns that run here go from memory into the queue of each watcher at once.
 * 2. A watcher whose queue is full, or who came later than the events, is behind and reads the log until it has caught up.
 * 3. For turns that run elsewhere, one query per process asks for all of them whether the log has more; signals from the
 *    writing replicas make it run sooner.
 */
export function createWatchers(options: WatchersOptions): Watchers {
  const { pool, writer, eventCount, onError } = options;
  const watchers = new Map<TurnId, Set<Watcher>>();
  const runsHere = (turnId: TurnId) => eventCount(turnId) !== undefined;
  const findAway = () => [...watchers.values()].flatMap((all) => [...all]).filter(({ turnId }) => !runsHere(turnId));
  const { pollSoon, stop } = pollElsewhere(pool, findAway, onError);

  /** Adds a watcher that also wakes when `signal` aborts. Returns how to remove it. */
  function add(watcher: Watcher, signal: AbortSignal): () => void {
    const { turnId } = watcher;
    const peers = watchers.get(turnId) ?? new Set();
    watchers.set(turnId, peers.add(watcher));
    const isAway = !runsHere(turnId);
    if (isAway) pollSoon();
    if (isAway) options.onAway();
    const wakeUp = () => watcher.wake();
    signal.addEventListener('abort', wakeUp);
    return () => {
      signal.removeEventListener('abort', wakeUp);
      peers.delete(watcher);
      if (peers.size === 0) watchers.delete(turnId);
      if (isAway) options.onAway();
    };
  }

  return {
    push: (turnId, event) => {
      for (const watcher of watchers.get(turnId) ?? []) enqueue(watcher, event);
    },
    isShown: (turnId) => [...(watchers.get(turnId) ?? [])].some(({ onlyEnd }) => !onlyEnd),
    countAway: () => findAway().length,
    pollSoon,
    async *watch(turnId, { after, fresh, onlyEnd, signal }) {
      // The events a fresh turn emitted before the first watcher came are still in memory, unless the watcher came very late.
      const pending = fresh ? writer.pending(turnId) : [];
      const behind = !fresh || eventCount(turnId) !== pending.length;
      const queue = behind ? [] : [...pending];
      if (pending.length > 0 && !onlyEnd) void writer.sendAhead(); // the watcher gets them before they are in the log
      const watcher = newWatcher({ turnId, onlyEnd, cursor: after, queue, behind });
      const remove = add(watcher, signal);
      try {
        yield* followTurn(options, watcher, signal);
      } finally {
        remove();
      }
    },
    async collect(turnId, signal) {
      const pending = writer.pending(turnId);
      if (eventCount(turnId) !== pending.length) return undefined;
      const watcher = newWatcher({ turnId, onlyEnd: true, isPatient: true, queue: [...pending] });
      const remove = add(watcher, signal);
      if (pending.at(-1)?.event.type !== 'turn-ended') await waken(watcher, signal);
      remove();
      const { queue } = watcher;
      const last = queue.at(-1);
      return last?.event.type === 'turn-ended' && last.sequence === queue.length - 1 ? queue : undefined;
    },
    stop,
  };
}

async function* followTurn(
  options: WatchersOptions,
  watcher: Watcher,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  while (!signal.aborted) {
    for (const event of await take(options, watcher)) {
      if (event.sequence <= watcher.cursor) continue;
      watcher.cursor = event.sequence;
      yield event;
      if (event.event.type === 'turn-ended') return;
    }
    if (watcher.queue.length > 0 || watcher.behind) continue;
    if (watcher.ended) return;
    await waken(watcher, signal);
  }
}

/** The next events for a watcher: from memory, or from the log first if it is behind. */
async function take({ pool, writer, onError }: WatchersOptions, watcher: Watcher): Promise<NumberedEvent[]> {
  if (!watcher.behind) {
    const queued = watcher.queue;
    watcher.queue = [];
    return queued;
  }
  watcher.behind = false;
  const pending = writer.pending(watcher.turnId); // read before the log: an event written in between is in both, not in neither
  try {
    const { turnId, cursor } = watcher;
    const logged = (await readEvents(pool, [{ turnId, after: cursor }], ROWS_AT_ONCE)).get(turnId) ?? [];
    if (logged.length >= ROWS_AT_ONCE) watcher.behind = true;
    return watcher.behind ? logged : [...logged, ...pending];
  } catch (error) {
    onError(error);
    watcher.behind = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    return [];
  }
}
