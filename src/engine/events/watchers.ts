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

/** One who follows one turn. */
type Watcher = {
  readonly turnId: TurnId;
  cursor: number;
  /** Events that came since, unless there were too many: a slow reader costs no memory, it reads the log instead. */
  queue: NumberedEvent[];
  /** The log may hold what the queue doesn't. */
  behind: boolean;
  /** The turn's row says that it has ended, and its last events had time to arrive. */
  ended: boolean;
  wake: () => void;
};

export type WatchOptions = {
  /** The last event already known, or -1. */
  readonly after: number;
  /** Just started here, so there is nothing to catch up with. */
  readonly fresh: boolean;
  readonly signal: AbortSignal;
};

/**
 * Everyone in this process who follows a turn. Turns that run here reach them from memory, at once; for all others
 * one query a process follows the log, hurried by the writers' signals.
 */
export function createWatchers(options: {
  pool: EnginePool;
  writer: EventWriter;
  /** How many events the attempt that runs here has told; undefined if the turn doesn't run here. */
  told: (turnId: TurnId) => number | undefined;
  /** Somebody began or ended to follow a turn that runs elsewhere. */
  onAway: () => void;
  onError: (error: unknown) => void;
}) {
  const { pool, writer, onError } = options;
  const runsHere = (turnId: TurnId) => options.told(turnId) !== undefined;
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
      watcher.wake();
    }
  }

  const findAway = () => [...watchers.values()].flatMap((all) => [...all]).filter(({ turnId }) => !runsHere(turnId));

  /** Looks once for all turns that run elsewhere: has the log more, or have they ended? */
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
    countAway: () => findAway().length,
    /** Some other replica has written events or ended turns. */
    hear: () => void look(),

    /**
     * Follows a turn from `after` on, to its `turn-ended`. Ends without one when the turn is over and the log has
     * no more: lost in a crash of PostgreSQL, or forgotten.
     */
    async *watch(turnId: TurnId, { after, fresh, signal }: WatchOptions): AsyncGenerator<NumberedEvent, void> {
      // What a fresh turn has told before anybody watched is still in memory, unless its reader took very long to come.
      const pending = fresh ? writer.pending(turnId) : [];
      const behind = !fresh || options.told(turnId) !== pending.length;
      const queue = behind ? [] : [...pending];
      const watcher: Watcher = { turnId, cursor: after, queue, behind, ended: false, wake: () => {} };
      const peers = watchers.get(turnId) ?? new Set();
      watchers.set(turnId, peers.add(watcher));
      const isAway = !runsHere(turnId);
      if (isAway) void look();
      if (isAway) options.onAway();
      const wakeUp = () => watcher.wake();
      signal.addEventListener('abort', wakeUp);
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
          await new Promise<void>((resolve) => {
            watcher.wake = resolve;
            if (signal.aborted) resolve();
          });
        }
      } finally {
        signal.removeEventListener('abort', wakeUp);
        peers.delete(watcher);
        if (peers.size === 0) watchers.delete(turnId);
        if (isAway) options.onAway();
      }
    },

    stop: () => looking.stop(),
  };

  /** What comes next for a watcher: from memory, or first from the log if it is behind. */
  async function take(watcher: Watcher): Promise<NumberedEvent[]> {
    if (!watcher.behind) {
      const queued = watcher.queue;
      watcher.queue = [];
      return queued;
    }
    watcher.behind = false;
    const pending = writer.pending(watcher.turnId); // before the log is read: what moves there meanwhile is in both
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
