import { Superseded } from '#domain/errors.ts';
import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { ModelCall, SpendingLimits, Spent } from '#domain/spending.ts';
import type { Item, WrittenItem } from '#domain/thread/item.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { CancelReason, Turn } from '#domain/thread/turn.ts';
import { firstSequence, type NumberedEvent, type TurnEnding, type TurnEvent } from '#domain/thread/turn-event.ts';
import type { Gate } from '#domain/tool/gate.ts';
import type { EnginePool } from './engine-connection.ts';
import { readEvents } from './events/event-log.ts';
import type { EventWriter } from './events/event-writer.ts';
import { type Patience, patiently, untilFree } from './patiently.ts';
import type { RunningRow } from './presence/pulse.ts';
import type { createTrials } from './presence/trial.ts';
import { type Appending, type AppendOutcome, appendItems, bodyOf } from './statements/append.ts';
import { createBatch } from './statements/batch.ts';
import { giveBackBroken } from './statements/claim.ts';
import { type Settled, type Settling, settleTurns, type TurnEnd } from './statements/settle.ts';
import { type ClaimedTurn, readContexts, readLargeHistory, type TurnContext } from './statements/turn-context.ts';
import { writeSummary } from './statements/write-summary.ts';

/** Runs one turn to its end. Throwing means that it did not end: it will be begun again, here or elsewhere. */
export type RunTurn = (turn: Turn, run: TurnRun) => Promise<TurnEnd>;

/** What the engine lends to an attempt. */
export type TurnRun = {
  readonly signal: AbortSignal;
  /** What its user has said about themselves and the agent, which skills there are, and which state their secrets are in. */
  readonly setting: Pick<TurnContext, 'notes' | 'skills' | 'secrets'>;
  /** Replaces the part of the thread that `history` leaves out. */
  readonly summary: Summary | null;
  /** The thread up to and including this turn's input, at least from the summary on. */
  history(): Promise<readonly Item[]>;
  /** What its user may spend, if that differs from what everybody may. */
  readonly limits: SpendingLimits | null;
  /** What its user has spent today. */
  spent(): Promise<Spent>;
  /** A gate that was open when the turn got its place, and which it does not answer. */
  readonly gateAhead: Gate | null;
  /**
   * Writes what the turn has made, and counts the model call that made it. Waits while the database is away; throws
   * `Superseded` when another attempt has taken over.
   */
  append(position: number, items: readonly WrittenItem[], call: ModelCall | null): Promise<void>;
  /** Writes a summary of the thread's older part, in the same way. */
  writeSummary(summary: Summary, call: ModelCall): Promise<void>;
  /** Why it must be closed instead of run: it kills its hosts, or breaks with an error each time. */
  readonly hopeless: 'kills-its-host' | 'breaks' | undefined;
  /** Tells the watchers. After the attempt was stopped nobody hears it. */
  readonly emit: (event: TurnEvent) => void;
  /** What earlier attempts told the watchers. */
  seenEvents(): Promise<TurnEvent[]>;
};

type Running = {
  readonly turn: Turn;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** Its end is being written. */
  settling: boolean;
  /** How many events this attempt has told. */
  told: number;
};

/** A turn that broke so often with an error nobody expected fails. */
const MOST_BROKEN = 3;

/** The turns that this replica runs now. */
export function createRunningTurns(options: {
  pool: EnginePool;
  replica: ReplicaId;
  writer: EventWriter;
  trials: ReturnType<typeof createTrials>;
  patience: Patience;
  runTurn: RunTurn;
  /** How many more turns may start here. */
  room: () => number;
  push: (turnId: TurnId, event: NumberedEvent) => void;
  /** A place has become free. */
  onFree: () => void;
  /** The next turn of a thread started here. */
  onStarted: (turnId: TurnId) => void;
  /** A turn waits for a replica. */
  onWaiting: () => void;
  /** These turns run here by the table's account, and are not known here. */
  onOrphans: (ids: readonly TurnId[]) => void;
  /** A turn has ended, and its row says so. */
  onEnded: (turn: Turn) => void;
  onError: (error: unknown) => void;
}) {
  const { pool, replica, writer, patience, onError } = options;
  const { isAway } = patience;
  const settle = createBatch<Settling, Settled>(
    // Each turn that ends leaves its own place to its successor.
    (batch) => settleTurns(pool, replica, options.room() + batch.length, batch),
    isAway,
  );
  const append = createBatch<Appending, { outcome: AppendOutcome }>(
    async (batch) => (await appendItems(pool, replica, batch)).map((outcome) => ({ outcome })),
    isAway,
  );
  const findSpending = createBatch<UserId, Spent>((users) => findSpent(pool, users), isAway);
  const readContext = createBatch<Turn, TurnContext>((turns) => readContexts(pool, turns), isAway);
  const running = new Map<TurnId, Running>();
  let unknown = new Set<TurnId>();

  function begin(claimed: ClaimedTurn): void {
    const { turn } = claimed;
    const known = running.get(turn.id);
    if (known && known.turn.attempt >= turn.attempt) return;
    stopTurn(turn.id, 'superseded');
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const entry: Running = { turn, stop: new AbortController(), ended, settling: false, told: 0 };
    running.set(turn.id, entry);
    void run(claimed, entry).finally(() => {
      if (running.get(turn.id) === entry) running.delete(turn.id);
      end();
      options.onFree();
    });
  }

  async function run(claimed: ClaimedTurn, entry: Running): Promise<void> {
    const { turn } = claimed;
    const { signal } = entry.stop;
    const lost = lostSignal(signal);
    const tell = createTeller(turn, entry);
    let endTrial = () => {};
    try {
      if (claimed.suspicion === 'suspect') endTrial = await options.trials.begin(turn, signal);
      const context = claimed.context ?? (await patiently(patience, { signal: lost }, () => readContext(turn)));
      const counted = { bytes: 0 };
      const lend = lendTo(claimed, context, { signal, lost, tell, counted, onProgress: endTrial });
      const end = await options.runTurn(turn, lend);
      const grows = counted.bytes + bytesOf(end.last.items);
      entry.settling = true;
      const settled = await patiently(patience, { signal: lost }, () =>
        untilFree(lost, () => settle({ ...end, turn, grows })),
      );
      if (settled.outcome !== 'ended') return;
      end.onWritten?.();
      tell({ type: 'turn-ended', ...settled.ending });
      options.onEnded(turn);
      if (settled.next) options.onStarted(settled.next);
      if (settled.waits) options.onWaiting();
    } catch (error) {
      if (error instanceof Superseded || lost.aborted) return;
      onError(error);
      // What broke because of the database is found as an orphan as soon as it is back.
      if (!isAway(error)) await giveBackBroken(pool, replica, turn).catch(onError);
    } finally {
      endTrial();
    }
  }

  function lendTo(
    { turn, suspicion, broken }: ClaimedTurn,
    context: TurnContext,
    attempt: {
      readonly signal: AbortSignal;
      readonly lost: AbortSignal;
      readonly tell: (event: TurnEvent) => void;
      readonly counted: { bytes: number };
      /** Something was written: the turn has not killed its host so far. */
      readonly onProgress: () => void;
    },
  ): TurnRun {
    const { signal, lost, tell, counted } = attempt;
    const send = <T>(act: () => Promise<T>) => patiently(patience, { signal: lost }, act);
    let spent: Spent | undefined = context.spent; // as of a moment ago; later calls ask again
    return {
      signal,
      setting: context,
      summary: context.summary,
      limits: context.limits,
      gateAhead: context.gateAhead,
      hopeless: suspicion === 'poison' ? 'kills-its-host' : broken >= MOST_BROKEN ? 'breaks' : undefined,
      history: async () => context.history ?? send(() => readLargeHistory(pool, turn)),
      spent: async () => {
        const known = spent;
        spent = undefined;
        return known ?? send(() => findSpending(turn.userId));
      },
      emit: (event) => {
        if (!lost.aborted) tell(event);
      },
      seenEvents: () => send(async () => (await readAllEvents(turn.id)).map(({ event }) => event)),
      append: async (position, items, call) => {
        const { outcome } = await send(() => untilFree(lost, () => append({ turn, position, items, call })));
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

  function createTeller(turn: Turn, entry?: Running): (event: TurnEvent) => void {
    let sequence = firstSequence(Math.max(0, turn.attempt));
    return (event) => {
      const numbered = { sequence: sequence++, event };
      if (entry) entry.told++;
      writer.add(turn.id, turn.attempt, numbered);
      options.push(turn.id, numbered);
    };
  }

  function stopTurn(id: TurnId, reason: StopReason): void {
    running.get(id)?.stop.abort(new TurnStopped(reason));
  }

  return {
    begin,
    has: (id: TurnId) => running.has(id),
    count: () => running.size,
    /** How many events the attempt that runs here has told; undefined if none does. */
    told: (id: TurnId) => running.get(id)?.told,
    /** Tells of the end of a turn that was ended without being run. */
    tellEnded: (turn: Turn, ending: TurnEnding) => {
      createTeller(turn)({ type: 'turn-ended', ...ending });
      options.onEnded(turn);
    },

    /** Stops a turn that runs here and that its row says was cancelled. */
    async check(id: TurnId): Promise<void> {
      if (!running.has(id)) return;
      const { rows } = await pool.query<RunningRow>(
        `select id, attempt, cancel_reason as "cancelReason" from turns where id = $1 and status = 'running'`,
        [id],
      );
      const entry = running.get(id);
      if (entry && rows[0]) compare(entry, rows[0]);
    },

    /** Which turns run here, to be held against what the table says a moment later. */
    remember: (): ReadonlySet<Running> => new Set(running.values()),

    /**
     * Holds what runs here against the table. A turn that it doesn't have is no longer this attempt's. One that only the
     * table has is an orphan, unless its answer is still on its way: so it has to be found twice in a row.
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

    /** Stops everything at once; resolves when nothing here writes any more. */
    async stopAll(): Promise<void> {
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

/** Aborts when the turn is no longer this attempt's to write; a cancelled turn is still closed here. */
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

/** Why a turn must stop at once. After the last two it writes nothing more: it is, or will be, somebody else's. */
export type StopReason = CancelReason | 'superseded' | 'drained';

export class TurnStopped extends Error {
  override readonly name = 'TurnStopped';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The turn was stopped: ${reason}.`);
    this.reason = reason;
  }

  /** The reason if the turn shall still be closed here; undefined if it is no longer this attempt's. */
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
