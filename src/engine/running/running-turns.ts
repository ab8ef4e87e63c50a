import type { TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { CancelReason, Turn } from '#domain/thread/turn.ts';
import type { NumberedEvent, TurnEnding, TurnEvent } from '#domain/thread/turn-event.ts';
import { numberEvents } from '../events/number-events.ts';
import type { RunningRow } from '../presence/heartbeat.ts';
import { STEERING } from '../statements/steering.ts';
import type { ClaimedTurn } from '../statements/turn-context.ts';
import { type AttemptDeps, runAttempt } from './run-attempt.ts';
import { createTurnStatements } from './turn-statements.ts';
import { TurnStopped } from './turn-stopped.ts';

export type Running = {
  readonly turn: Turn;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** Whether its end is being written. */
  settling: boolean;
  /** Whether a message waits that is to be read before the turn continues. */
  steered: boolean;
  /** The number of events this attempt has emitted. */
  eventCount: number;
};

export type RunningTurns = {
  begin(claimed: ClaimedTurn): void;
  has(id: TurnId): boolean;
  count(): number;
  users(): UserId[];
  /** How many events the attempt that runs here has emitted; undefined if the turn doesn't run here. */
  eventCount(id: TurnId): number | undefined;
  /** Emits the end of a turn that ended without being run. */
  notifyEnded(turn: Turn, ending: TurnEnding): void;
  /** Stops a turn that runs here if its row is marked as cancelled, or lets it end if a message steers it. */
  check(id: TurnId): Promise<void>;
  /** A snapshot of the turns that run here, for comparison with the table a moment later. */
  readonly remember: () => ReadonlySet<Running>;
  /**
   * Compares the turns that run here with the table. A turn missing from the table no longer belongs to this attempt. A turn
   * found only in the table twice in a row is an orphan; after one time, its answer may still be on its way.
   */
  compareAll(rows: readonly RunningRow[], remembered: ReadonlySet<Running>, isExpected: (id: TurnId) => boolean): void;
  /** Stops everything at once; resolves when this replica no longer writes. */
  stopAll(): Promise<void>;
};

type RunningOptions = Omit<AttemptDeps, 'statements' | 'isStopped'> & {
  /** How many more turns may start here. */
  readonly room: () => number;
  readonly push: (turnId: TurnId, event: NumberedEvent) => void;
  /** Whether a client of this replica sees the turn's events as they come. */
  readonly isShown: (turnId: TurnId) => boolean;
  /** A slot that a turn of this user had became free. */
  readonly onFree: (user: UserId) => void;
  /** These turns run here according to the table, but this process doesn't know them. */
  readonly onOrphans: (ids: readonly TurnId[]) => void;
};

const TIMEOUT: CancelReason = 'turn_timeout';

/** The turns that run on this replica. */
export function createRunningTurns(options: RunningOptions): RunningTurns {
  const statements = createTurnStatements({ ...options, isAway: options.retryPolicy.isAway });
  const running = new Map<TurnId, Running>();
  let stopped = false; // what starts here from now on is handed to other replicas
  const deps: AttemptDeps = { ...options, statements, isStopped: () => stopped };
  const findOrphans = createOrphanFinder();

  function begin(given: ClaimedTurn): void {
    if (stopped) return;
    const leftMs = (given.turn.request.timeoutMs ?? Infinity) - (given.ageMs ?? 0);
    const claimed: ClaimedTurn = leftMs > 0 ? given : { ...given, turn: { ...given.turn, cancelReason: TIMEOUT } };
    const { turn } = claimed;
    const known = running.get(turn.id);
    if (known && known.turn.attempt >= turn.attempt) return;
    known?.stop.abort(new TurnStopped('superseded'));
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const steered = claimed.isSteered ?? false;
    const entry: Running = { turn, stop: new AbortController(), ended, settling: false, steered, eventCount: 0 };
    running.set(turn.id, entry);
    const stopTimer = abortAfter(leftMs, entry.stop);
    const onSettling = () => {
      entry.settling = true;
    };
    const isSteered = () => entry.steered;
    const how = { signal: entry.stop.signal, publish: createPublisher(options, turn, entry), isSteered, onSettling };
    void runAttempt(deps, claimed, how).finally(() => {
      stopTimer();
      if (running.get(turn.id) === entry) running.delete(turn.id);
      end();
      options.onFree(turn.userId);
    });
  }

  return {
    begin,
    has: (id) => running.has(id),
    count: () => running.size,
    users: () => [...running.values()].map((entry) => entry.turn.userId),
    eventCount: (id) => running.get(id)?.eventCount,
    notifyEnded: (turn, ending) => {
      createPublisher(options, turn)({ type: 'turn-ended', ...ending });
      options.onEnded(turn, ending);
    },
    async check(id) {
      if (!running.has(id)) return;
      const { rows } = await options.pool.query<RunningRow>(RUNNING_ROW, [id]);
      const entry = running.get(id);
      if (!entry || !rows[0]) return;
      entry.steered = false; // the message may have been withdrawn
      stopIfChanged(entry, rows[0]);
    },
    remember: () => new Set(running.values()),
    compareAll(rows, remembered, isExpected) {
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const entry of remembered)
        if (running.get(entry.turn.id) === entry && !entry.settling) stopIfChanged(entry, found.get(entry.turn.id));
      const orphans = findOrphans(rows.map(({ id }) => id).filter((id) => !running.has(id) && !isExpected(id)));
      if (orphans.length > 0) options.onOrphans(orphans);
    },
    async stopAll() {
      stopped = true;
      const entries = [...running.values()];
      for (const { stop } of entries) stop.abort(new TurnStopped('drained'));
      await Promise.all(entries.map(({ ended }) => ended));
    },
  };
}

const RUNNING_ROW = `
  select id, attempt, cancel_reason as "cancelReason", ${STEERING} as steering from turns where id = $1 and status = 'running'`;

/** Returns how to stop the timer. */
function abortAfter(ms: number, stop: AbortController): () => void {
  if (ms <= 0 || ms === Infinity) return () => {};
  const timer = setTimeout(() => stop.abort(new TurnStopped(TIMEOUT)), ms);
  return () => clearTimeout(timer);
}

const createPublisher = (
  { writer, push }: Pick<RunningOptions, 'writer' | 'push'>,
  turn: Turn,
  entry?: Running,
): ((event: TurnEvent) => void) =>
  numberEvents(Math.max(0, turn.attempt), (numbered) => {
    if (entry) entry.eventCount++;
    writer.add(turn.id, turn.attempt, numbered);
    push(turn.id, numbered);
  });

function stopIfChanged(entry: Running, row: RunningRow | undefined): void {
  const { turn, stop } = entry;
  if (row?.attempt !== turn.attempt) return stop.abort(new TurnStopped('superseded'));
  if (row.cancelReason) return stop.abort(new TurnStopped(row.cancelReason));
  if (row.steering) entry.steered = true;
  if (row.steering === 'now') stop.abort(new TurnStopped('steered'));
}

/** Returns those ids that were unknown in the call before, too. */
function createOrphanFinder(): (unknown: readonly TurnId[]) => TurnId[] {
  let before = new Set<TurnId>();
  return (unknown) => {
    const orphans = unknown.filter((id) => before.has(id));
    before = new Set(unknown.filter((id) => !before.has(id)));
    return orphans;
  };
}
