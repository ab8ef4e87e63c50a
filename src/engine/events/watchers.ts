import type { TurnId } from '#domain/ids.ts';
import type { NumberedEvent } from '#domain/thread/turn-event.ts';
import type { EnginePool } from '../engine-connection.ts';
import { repeat } from '../repeat.ts';
import { readEvents } from './event-log.ts';
import type { EventWriter } from './event-writer.ts';

const LOOK_AGAIN_MS = 1000;
const GATHER_SIGNALS_MS = 20;
const MAX_QUEUED = 1000;
const ROWS_AT_ONCE = 500;

/** A follower of one turn. */
type Watcher = {
  readonly turnId: TurnId;
  readonly onlyEnd: boolean;
  /** Whether it takes all events together when the turn has ended, so that no event before wakes it. */
  readonly isPatient: boolean;
  cursor: number;
  /** New events, up to a limit. A slow reader costs no memory: it reads the log instead. */
  queue: NumberedEvent[];
  /** Whether the log may hold events that are missing from the queue. */
  behind: boolean;
  /** Whether the turn's row says that it has ended and its last events had time to arrive. */
  ended: boolean;
  wake: () => void;
};

export type WatchOptions = {
  /** The last event the caller has, or -1. */
  readonly after: number;
  /** The turn was just started here, so there is nothing to catch up on. */
  readonly fresh: boolean;
  /** The caller shows nothing before the turn has ended. */
  readonly onlyEnd: boolean;
  readonly signal: AbortSignal;
};

const newWatcher = (given: Pick<Watcher, 'turnId' | 'onlyEnd' | 'queue'> & Partial<Watcher>): Watcher => ({
  isPatient: false,
  cursor: -1,
  behind: false,
  ended: false,
  wake: () => {},
  ...given,
});

function waken(watcher: Watcher, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  watcher.wake = resolve;
  if (signal.aborted) resolve();
  return promise;
}

/**
 * All watchers of turns in this process. Events of turns that run here come from memory at once. For all other turns,
 * one query per process reads the log; signals from the writing replicas make it run sooner.
 */
export function createWatchers(options: {
  pool: EnginePool;
  writer: EventWriter;
  /** How many events the attempt that runs here has emitted; undefined if the turn doesn't run here. */
  eventCount: (turnId: TurnId) => number | undefined;
  /** A watcher of a turn that runs elsewhere was added or removed. */
  onAway: () => void;
  onError: (error: unknown) => void;
}) {
  const { pool, writer, onError } = options;
  const runsHere = (turnId: TurnId) => options.eventCount(turnId) !== undefined;
  const watchers = new Map<TurnId, Set<Watcher>>();
  let following: Promise<void> | undefined;
  let again = false;

  function push(turnId: TurnId, event: NumberedEvent): void {
    for (const watcher of watchers.get(turnId) ?? []) {
      if (watcher.queue.length < MAX_QUEUED) watcher.queue.push(event);
      else {
        watcher.queue = [];
        watcher.behind = true;
      }
      if (!watcher.isPatient || watcher.behind || event.event.type === 'turn-ended') watcher.wake();
    }
  }

  /** Adds a watcher that also wakes when `signal` aborts. Returns how to remove it. */
  function add(watcher: Watcher, signal: AbortSignal): () => void {
    const { turnId } = watcher;
    const peers = watchers.get(turnId) ?? new Set();
    watchers.set(turnId, peers.add(watcher));
    const isAway = !runsHere(turnId);
    if (isAway) void look();
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

  const findAway = () => [...watchers.values()].flatMap((all) => [...all]).filter(({ turnId }) => !runsHere(turnId));

  /** Checks all watched turns that run elsewhere with one query: are there more events, or has the turn ended? */
  async function lookElsewhere(): Promise<void> {
    const away = findAway();
    if (away.length === 0) return;
    const ids = [...new Set(away.map(({ turnId }) => turnId))];
    const { rows } = await pool.query<{ id: TurnId; last: string | null; ended: boolean | null }>(
      `select turns.id, (ended_at < now() - interval '1 second' or (ended_at is not null and started_at is null)) as ended,
         (select max(last) from turn_events where turn_id = turns.id) as last
       from turns where id = any($1::uuid[])`,
      [ids],
    );
    const states = new Map(rows.map((row) => [row.id, row]));
    for (const watcher of away) {
      const state = states.get(watcher.turnId);
      const more = Number(state?.last ?? -1) > watcher.cursor;
      watcher.behind ||= more;
      watcher.ended ||= state === undefined || state.ended === true;
      if (more || watcher.ended) watcher.wake();
    }
  }

  function look(): Promise<void> {
    again = true;
    following ??= (async () => {
      while (again) {
        await new Promise((resolve) => setTimeout(resolve, GATHER_SIGNALS_MS));
        again = false;
        await lookElsewhere().catch(onError);
      }
      following = undefined;
    })();
    return following;
  }
  const looking = repeat(LOOK_AGAIN_MS, look, onError);

  return {
    push,
    /** Whether a client of this replica sees the turn's events as they come. */
    isShown: (turnId: TurnId) => [...(watchers.get(turnId) ?? [])].some(({ onlyEnd }) => !onlyEnd),
    countAway: () => findAway().length,
    /** Another replica has written events or ended turns. */
    hear: () => void look(),

    /**
     * Follows a turn from `after` to its `turn-ended`. Ends without that event when the turn has ended and the log has
     * no more events, because PostgreSQL lost them in a crash or they were deleted.
     */
    async *watch(turnId: TurnId, { after, fresh, onlyEnd, signal }: WatchOptions): AsyncGenerator<NumberedEvent, void> {
      // The events a fresh turn emitted before the first watcher came are still in memory, unless the watcher came very late.
      const pending = fresh ? writer.pending(turnId) : [];
      const behind = !fresh || options.eventCount(turnId) !== pending.length;
      const queue = behind ? [] : [...pending];
      if (pending.length > 0 && !onlyEnd) void writer.sendAhead(); // the watcher gets them before they are in the log
      const watcher = newWatcher({ turnId, onlyEnd, cursor: after, queue, behind });
      const remove = add(watcher, signal);
      try {
        while (!signal.aborted) {
          for (const event of await take(watcher)) {
            if (event.sequence <= watcher.cursor) continue;
            watcher.cursor = event.sequence;
            yield event;
            if (event.event.type === 'turn-ended') return;
          }
          if (watcher.queue.length > 0 || watcher.behind) continue;
          if (watcher.ended) return;
          await waken(watcher, signal);
        }
      } finally {
        remove();
      }
    },

    /**
     * Waits for the end of a turn that was just started here, and returns its events. Undefined if some may be missing, or after
     * `signal`: `watch` finds them then.
     */
    async collect(turnId: TurnId, signal: AbortSignal): Promise<readonly NumberedEvent[] | undefined> {
      const pending = writer.pending(turnId);
      if (options.eventCount(turnId) !== pending.length) return undefined;
      const watcher = newWatcher({ turnId, onlyEnd: true, isPatient: true, queue: [...pending] });
      const remove = add(watcher, signal);
      if (pending.at(-1)?.event.type !== 'turn-ended') await waken(watcher, signal);
      remove();
      const last = watcher.queue.at(-1);
      return last?.event.type === 'turn-ended' && last.sequence === watcher.queue.length - 1
        ? watcher.queue
        : undefined;
    },

    stop: () => looking.stop(),
  };

  /** The next events for a watcher: from memory, or from the log first if it is behind. */
  async function take(watcher: Watcher): Promise<NumberedEvent[]> {
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
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      return [];
    }
  }
}
