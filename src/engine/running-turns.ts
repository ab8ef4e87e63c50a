import { createBatch } from '#domain/batch.ts';
import { Superseded } from '#domain/errors.ts';
import { newId, type ReplicaId, type TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { ModelCall, SpendingLimits, Spent } from '#domain/spending.ts';
import type { Item, WrittenItem } from '#domain/thread/item.ts';
import { bodyOf } from '#domain/thread/item-fields.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { CancelReason, Turn } from '#domain/thread/turn.ts';
import type { NumberedEvent, TurnEnding, TurnEvent } from '#domain/thread/turn-event.ts';
import type { Gate } from '#domain/tool/gate.ts';
import type { EnginePool } from './engine-connection.ts';
import { deleteEventsOfDeleted, readEvents } from './events/event-log.ts';
import type { EventWriter } from './events/event-writer.ts';
import { numberEvents } from './events/number-events.ts';
import type { RunningRow } from './presence/heartbeat.ts';
import type { createTrials } from './presence/trial.ts';
import { type Appending, type AppendOutcome, appendItems } from './statements/append.ts';

import { giveBackBroken } from './statements/claim.ts';
import { type Settled, type Settling, settleTurns, type TurnEnd } from './statements/settle.ts';
import { type ClaimedTurn, readContexts, readLargeHistory, type TurnContext } from './statements/turn-context.ts';
import { writeSummary } from './statements/write-summary.ts';
import { type RetryPolicy, retryWhileBusy, withRetries } from './with-retries.ts';

/** Runs one turn to its end. If it throws, the turn has not ended and will be started again, here or elsewhere. */
export type RunTurn = (turn: Turn, run: TurnRun) => Promise<TurnEnd>;

/** What the engine gives to an attempt. */
export type TurnRun = {
  readonly signal: AbortSignal;
  /** The user's identity notes and skills, and the version of their secrets. */
  readonly setting: Pick<TurnContext, 'notes' | 'skills' | 'secrets'>;
  /** Replaces the part of the thread that `history` leaves out. */
  readonly summary: Summary | null;
  /** The thread up to and including this turn's input, at least from the summary on. */
  history(): Promise<readonly Item[]>;
  /** Whether older items were left out of `history` because they are too large. */
  isHistoryCut(): boolean;
  /** The user's spending limits, if they differ from the default. */
  readonly limits: SpendingLimits | null;
  /** What the user has spent today. */
  spent(): Promise<Spent>;
  /** A gate that was open when the turn was queued and that the turn does not answer. */
  readonly gateAhead: Gate | null;
  /**
   * Writes the items and counts the model call that made them. Waits while the database is unavailable; throws
   * `Superseded` when another attempt has taken over.
   */
  append(position: number, items: readonly WrittenItem[], call: ModelCall | null): Promise<void>;
  /** Writes a summary of the thread's older part, with the same rules. */
  writeSummary(summary: Summary, call: ModelCall): Promise<void>;
  /** Why the turn must be failed instead of run: it kills its hosts, or throws an error each time. */
  readonly verdict: 'kills-its-host' | 'breaks' | undefined;
  /** Sends an event to the watchers. Does nothing after the attempt was stopped, unless the turn had ended by then. */
  readonly emit: (event: TurnEvent) => void;
  /** The events that earlier attempts sent to the watchers. */
  seenEvents(): Promise<TurnEvent[]>;
};

type Running = {
  readonly turn: Turn;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** Whether its end is being written. */
  settling: boolean;
  /** The number of events this attempt has emitted. */
  eventCount: number;
};

const TIMEOUT: CancelReason = 'turn_timeout';

/** A turn fails after this many attempts that ended in an unexpected error. */
const MOST_BROKEN = 3;

/** The turns that run on this replica. */
export function createRunningTurns(options: {
  pool: EnginePool;
  replica: ReplicaId;
  writer: EventWriter;
  trials: ReturnType<typeof createTrials>;
  retryPolicy: RetryPolicy;
  runTurn: RunTurn;
  /** How many more turns may start here. */
  room: () => number;
  push: (turnId: TurnId, event: NumberedEvent) => void;
  /** Whether a client of this replica sees the turn's events as they come. */
  isShown: (turnId: TurnId) => boolean;
  /** A slot that a turn of this user had became free. */
  onFree: (user: UserId) => void;
  /** The thread's next turn started here. */
  onStarted: (turnId: TurnId, user: UserId) => void;
  /** A turn waits for a replica. */
  onWaiting: () => void;
  /** These turns run here according to the table, but this process doesn't know them. */
  onOrphans: (ids: readonly TurnId[]) => void;
  /** A turn has ended and its row is written. */
  onEnded: (turn: Turn) => void;
  onError: (error: unknown) => void;
}) {
  const { pool, replica, writer, retryPolicy, onError } = options;
  const { isAway } = retryPolicy;
  const settle = createBatch<Settling, Settled>(async (batch) => {
    await sendSeenEvents(batch);
    // Each turn that ends frees its slot for its successor.
    return settleTurns(pool, replica, options.room() + batch.length, batch);
  }, isAway);
  const append = createBatch<Appending, { outcome: AppendOutcome }>(async (batch) => {
    await sendSeenEvents(batch);
    return (await appendItems(pool, replica, batch)).map((outcome) => ({ outcome }));
  }, isAway);
  /**
   * What a client has received must be in the log before the items are stored. Otherwise, if this process dies in between,
   * another replica would build it from the items and send it a second time.
   */
  const sendSeenEvents = async (batch: readonly { readonly turn: Turn }[]): Promise<void> => {
    if (batch.some(({ turn }) => options.isShown(turn.id))) await writer.sendAhead();
  };
  const findSpending = createBatch<UserId, Spent>((users) => findSpent(pool, users), isAway);
  const readContext = createBatch<Turn, TurnContext>((turns) => readContexts(pool, turns), isAway);
  const forgetDeleted = createBatch<TurnId, void>(async (ids) => {
    await deleteEventsOfDeleted(pool, ids);
    return ids.map(() => undefined);
  }, isAway);
  const running = new Map<TurnId, Running>();
  let unknown = new Set<TurnId>();
  let stopped = false; // what starts here from now on is handed to other replicas

  function begin(given: ClaimedTurn): void {
    if (stopped) return;
    const leftMs = (given.turn.request.timeoutMs ?? Infinity) - (given.ageMs ?? 0);
    const claimed: ClaimedTurn = leftMs > 0 ? given : { ...given, turn: { ...given.turn, cancelReason: TIMEOUT } };
    const { turn } = claimed;
    const known = running.get(turn.id);
    if (known && known.turn.attempt >= turn.attempt) return;
    stopTurn(turn.id, 'superseded');
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const entry: Running = { turn, stop: new AbortController(), ended, settling: false, eventCount: 0 };
    running.set(turn.id, entry);
    const deadline =
      leftMs > 0 && leftMs < Infinity
        ? setTimeout(() => entry.stop.abort(new TurnStopped(TIMEOUT)), leftMs)
        : undefined;
    void run(claimed, entry).finally(() => {
      clearTimeout(deadline);
      if (running.get(turn.id) === entry) running.delete(turn.id);
      end();
      options.onFree(turn.userId);
    });
  }

  async function run(claimed: ClaimedTurn, entry: Running): Promise<void> {
    const { turn } = claimed;
    const { signal } = entry.stop;
    const lost = lostSignal(signal);
    const publish = createPublisher(turn, entry);
    let isEnded = false;
    const emit = (event: TurnEvent) => {
      if (isEnded || !lost.aborted) publish(event);
    };
    let endTrial = () => {};
    try {
      if (claimed.suspicion === 'suspect' && !turn.cancelReason)
        endTrial = await options.trials.begin(turn, claimed.groupLimit, signal);
      lost.throwIfAborted();
      const context = claimed.context ?? (await withRetries(retryPolicy, { signal: lost }, () => readContext(turn)));
      const counted = { bytes: 0 };
      const turnRun = createTurnRun(claimed, context, { signal, lost, emit, counted, onProgress: endTrial });
      const end = await options.runTurn(turn, turnRun);
      const grows = counted.bytes + bytesOf(end.last.items);
      entry.settling = true;
      const settled = await withRetries(retryPolicy, { signal: lost }, () =>
        retryWhileBusy({ signal: lost }, () => settle({ ...end, turn, grows })),
      );
      if (settled.outcome !== 'ended') return void forgetIfDeleted(turn);
      isEnded = true; // no other attempt takes over, so this one tells everything, even if it was stopped meanwhile
      end.onWritten?.();
      publish({ type: 'turn-ended', ...settled.ending });
      options.onEnded(turn);
      if (settled.next) options.onStarted(settled.next, turn.userId);
      if (settled.waits) options.onWaiting();
    } catch (error) {
      if (error instanceof Superseded || lost.aborted) return void forgetIfDeleted(turn);
      onError(error);
      // A turn that broke because of the database is found as an orphan once the database is back.
      if (!isAway(error)) await giveBackBroken(pool, replica, turn).catch(onError);
    } finally {
      endTrial();
    }
  }

  /** An attempt may lose its turn because the turn was deleted. Its last events may have been stored a moment later. */
  async function forgetIfDeleted({ id }: Turn): Promise<void> {
    await writer.flush();
    if (!stopped) await forgetDeleted(id).catch(onError);
  }

  function createTurnRun(
    { turn, suspicion, broken }: ClaimedTurn,
    context: TurnContext,
    attempt: {
      readonly signal: AbortSignal;
      readonly lost: AbortSignal;
      readonly emit: TurnRun['emit'];
      readonly counted: { bytes: number };
      /** Something was written, so the turn has not killed its host so far. */
      readonly onProgress: () => void;
    },
  ): TurnRun {
    const { signal, lost, emit, counted } = attempt;
    const send = <T>(act: () => Promise<T>) => withRetries(retryPolicy, { signal: lost }, act);
    let isHistoryCut = false;
    let spent: Spent | undefined = context.spent; // as of a moment ago; later calls ask again
    return {
      signal,
      setting: context,
      summary: context.summary,
      limits: context.limits,
      gateAhead: context.gateAhead,
      verdict: suspicion === 'poison' ? 'kills-its-host' : broken >= MOST_BROKEN ? 'breaks' : undefined,
      async history() {
        if (context.history) return context.history;
        const { items, isCut } = await send(() => readLargeHistory(pool, turn));
        isHistoryCut = isCut;
        return items;
      },
      isHistoryCut: () => isHistoryCut,
      spent: async () => {
        const known = spent;
        spent = undefined;
        return known ?? send(() => findSpending(turn.userId));
      },
      emit,
      seenEvents: () => send(async () => (await readAllEvents(turn.id)).map(({ event }) => event)),
      append: async (position, items, call) => {
        const callId = call && items.length === 0 ? newId<string>() : undefined;
        const entry = { turn, position, items, call, callId };
        const { outcome } = await send(() => retryWhileBusy({ signal: lost }, () => append(entry)));
        if (outcome !== 'written') throw new Superseded(turn.id);
        counted.bytes += bytesOf(items);
        attempt.onProgress();
      },
      writeSummary: async (summary, call) => {
        if (!(await send(() => writeSummary(pool, replica, turn, summary, call)))) throw new Superseded(turn.id);
      },
    };
  }

  const readAllEvents = async (turnId: TurnId) =>
    (await readEvents(pool, [{ turnId, after: -1 }], ALL)).get(turnId) ?? [];

  const createPublisher = (turn: Turn, entry?: Running): ((event: TurnEvent) => void) =>
    numberEvents(Math.max(0, turn.attempt), (numbered) => {
      if (entry) entry.eventCount++;
      writer.add(turn.id, turn.attempt, numbered);
      options.push(turn.id, numbered);
    });

  function stopTurn(id: TurnId, reason: StopReason): void {
    running.get(id)?.stop.abort(new TurnStopped(reason));
  }

  return {
    begin,
    has: (id: TurnId) => running.has(id),
    count: () => running.size,
    users: () => [...running.values()].map((entry) => entry.turn.userId),
    /** How many events the attempt that runs here has emitted; undefined if the turn doesn't run here. */
    eventCount: (id: TurnId) => running.get(id)?.eventCount,
    /** Emits the end of a turn that ended without being run. */
    notifyEnded: (turn: Turn, ending: TurnEnding) => {
      createPublisher(turn)({ type: 'turn-ended', ...ending });
      options.onEnded(turn);
    },

    /** Stops a turn that runs here if its row is marked as cancelled. */
    async check(id: TurnId): Promise<void> {
      if (!running.has(id)) return;
      const { rows } = await pool.query<RunningRow>(
        `select id, attempt, cancel_reason as "cancelReason" from turns where id = $1 and status = 'running'`,
        [id],
      );
      const entry = running.get(id);
      if (entry && rows[0]) compare(entry, rows[0]);
    },

    /** A snapshot of the turns that run here, for comparison with the table a moment later. */
    remember: (): ReadonlySet<Running> => new Set(running.values()),

    /**
     * Compares the turns that run here with the table. A turn missing from the table no longer belongs to this attempt. A turn
     * found only in the table twice in a row is an orphan; after one time, its answer may still be on its way.
     */
    compareAll(rows: readonly RunningRow[], remembered: ReadonlySet<Running>, expected: (id: TurnId) => boolean): void {
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const entry of remembered) {
        if (running.get(entry.turn.id) !== entry || entry.settling) continue;
        const row = found.get(entry.turn.id);
        if (row) compare(entry, row);
        else entry.stop.abort(new TurnStopped('superseded'));
      }
      const strangers = rows.map(({ id }) => id).filter((id) => !running.has(id) && !expected(id));
      const orphans = strangers.filter((id) => unknown.has(id));
      unknown = new Set(strangers.filter((id) => !orphans.includes(id)));
      if (orphans.length > 0) options.onOrphans(orphans);
    },

    /** Stops everything at once; resolves when this replica no longer writes. */
    async stopAll(): Promise<void> {
      stopped = true;
      const ended = [...running.values()].map((entry) => entry.ended);
      for (const id of running.keys()) stopTurn(id, 'drained');
      await Promise.all(ended);
    },
  };

  function compare(entry: Running, row: RunningRow): void {
    if (row.attempt !== entry.turn.attempt) entry.stop.abort(new TurnStopped('superseded'));
    else if (row.cancelReason) entry.stop.abort(new TurnStopped(row.cancelReason));
  }
}

const ALL = 1_000_000_000;

const bytesOf = (items: readonly WrittenItem[]): number =>
  items.reduce((sum, item) => sum + Buffer.byteLength(bodyOf(item)), 0);

/** Aborts when this attempt may no longer write to the turn; a cancelled turn is still closed here. */
function lostSignal(signal: AbortSignal): AbortSignal {
  const lost = new AbortController();
  const check = () => {
    const reason: unknown = signal.reason;
    if (!(reason instanceof TurnStopped) || reason.cancelled === undefined) lost.abort(reason);
  };
  if (signal.aborted) check();
  else signal.addEventListener('abort', check, { once: true });
  return lost.signal;
}

/** Why a turn must stop at once. After `superseded` and `drained` it writes nothing more, because another attempt takes over. */
export type StopReason = CancelReason | 'superseded' | 'drained';

export class TurnStopped extends Error {
  override readonly name = 'TurnStopped';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The turn was stopped: ${reason}.`);
    this.reason = reason;
  }

  /** The reason if the turn must still be closed here; undefined if another attempt has taken over. */
  get cancelled(): CancelReason | undefined {
    return this.reason === 'superseded' || this.reason === 'drained' ? undefined : this.reason;
  }
}

/** What each of these users has spent today. */
async function findSpent(pool: EnginePool, users: readonly UserId[]): Promise<Spent[]> {
  const { rows } = await pool.query<Spent & { userId: UserId }>(SPENT, [[...new Set(users)]]);
  const found = new Map(rows.map(({ userId, tokens, usd }) => [userId, { tokens, usd }]));
  return users.map((user) => found.get(user) ?? { tokens: 0, usd: 0 });
}

const SPENT = `
  select user_id as "userId", sum(input_tokens + output_tokens)::float8 as tokens, sum(cost_usd) as usd
  from usage_days where user_id = any($1::text[]) and day = (now() at time zone 'utc')::date
  group by user_id`;
