import { Superseded } from '#domain/errors.ts';
import type { Gate } from '#domain/gate.ts';
import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { Item, WrittenItem } from '#domain/item.ts';
import type { CancelReason, Turn } from '#domain/turn.ts';
import { firstSequence, type NumberedEvent, type TurnEnding, type TurnEvent } from '#domain/turn-event.ts';
import { type Appending, appendItems } from './append.ts';
import { createBatch } from './batch.ts';
import type { ClaimedTurn } from './claim.ts';
import { type EnginePool, inTransaction } from './engine-connection.ts';
import { readEvents } from './event-log.ts';
import type { EventWriter } from './event-writer.ts';
import { runningJobs } from './presence.ts';
import type { JobClaim, Queue } from './queue.ts';
import { type Settling, settleTurns, type TurnEnd } from './settle.ts';
import { beginTrial } from './trial.ts';
import { type StopReason, TurnStopped } from './turn-stopped.ts';

/** Runs one turn to its end. Throwing means that it did not end: it will be begun again, here or elsewhere. */
export type RunTurn = (turn: Turn, run: TurnRun) => Promise<TurnEnd>;

/** What the engine lends to an attempt. */
export type TurnRun = {
  readonly signal: AbortSignal;
  /** What the thread has said up to and including this turn's input. */
  readonly history: readonly Item[];
  /** A gate that was open when the turn got its place, and which it does not answer. */
  readonly gateAhead: Gate | null;
  /** Writes what the turn has made; throws `Superseded` when another attempt has taken over. */
  append(position: number, items: readonly WrittenItem[]): Promise<void>;
  /** It kills its hosts, and shall be closed instead of run. */
  readonly poisoned: boolean;
  /** Tells the watchers. After the attempt was stopped nobody hears it. */
  readonly emit: (event: TurnEvent) => void;
  /** What earlier attempts told the watchers. */
  seenEvents(): Promise<TurnEvent[]>;
};

type Running = ClaimedTurn & { readonly stop: AbortController; readonly ended: Promise<void> };

const GIVE_BACK_AGAIN_MS = 250;

/** The turns that this replica runs now. */
export function createRunningTurns(options: {
  pool: EnginePool;
  queue: Queue;
  writer: EventWriter;
  runTurn: RunTurn;
  push: (turnId: TurnId, event: NumberedEvent) => void;
  /** A place has become free. */
  onFree: () => void;
  /** There is a turn to claim: a thread was passed on, or a turn given back. */
  onTurn: () => void;
  /** A turn has ended, and its row says so. */
  onEnded: (turn: Turn) => void;
  onError: (error: unknown) => void;
  /** Whether an error says that the database can't be reached. */
  isAway: (error: unknown) => boolean;
}) {
  const { pool, queue, writer, onFree, onTurn, onError } = options;
  const settle = createBatch<Settling, TurnEnding | undefined>(
    (batch) => settleTurns(pool, queue, batch, onTurn),
    options.isAway,
  );
  const append = createBatch<Appending, boolean>((batch) => appendItems(pool, batch), options.isAway);
  const running = new Map<TurnId, Running>();
  const givingBack = new Map<TurnId, JobClaim>();

  function begin(claimed: ClaimedTurn): void {
    const stop = new AbortController();
    stopTurn(claimed.turn.id, 'superseded');
    const entry = { ...claimed, stop, ended: run(claimed, stop) };
    running.set(claimed.turn.id, entry);
    void entry.ended.finally(() => {
      if (running.get(claimed.turn.id) === entry) running.delete(claimed.turn.id);
      onFree();
    });
  }

  async function run(claimed: ClaimedTurn, stop: AbortController): Promise<void> {
    const { turn, suspicion } = claimed;
    const { signal } = stop;
    const tell = createTeller(turn);
    const emit = (event: TurnEvent) => {
      if (!signal.aborted || isCancelled(signal)) tell(event);
    };
    let endTrial = () => {};
    try {
      if (suspicion === 'suspect') endTrial = await beginTrial(pool, turn, signal);
      const seenEvents = async () =>
        ((await readEvents(pool, [{ turnId: turn.id, after: -1 }], ALL)).get(turn.id) ?? []).map(({ event }) => event);
      const end = await options.runTurn(turn, {
        signal,
        history: claimed.history,
        gateAhead: claimed.gateAhead,
        poisoned: suspicion === 'poison',
        emit,
        seenEvents,
        append: async (position, items) => {
          if (!(await append({ turn, position, items }))) throw new Superseded(turn.id);
        },
      });
      const ending = await settle({ ...claimed, ...end });
      if (ending) tell({ type: 'turn-ended', ...ending });
      if (ending) options.onEnded(turn);
    } catch (error) {
      const lost = error instanceof Superseded || (signal.aborted && !isCancelled(signal));
      if (lost) return;
      onError(error);
      giveBack(claimed.job);
    } finally {
      endTrial();
    }
  }

  function createTeller(turn: Turn): (event: TurnEvent) => void {
    let sequence = firstSequence(Math.max(0, turn.attempt));
    return (event) => {
      const numbered = { sequence: sequence++, event };
      writer.add(turn.id, turn.attempt, numbered);
      options.push(turn.id, numbered);
    };
  }

  /** The run broke, most likely with its connection: it is begun again as soon as that can be said. */
  function giveBack(job: JobClaim): void {
    givingBack.set(job.id, job);
    const attempt = () =>
      inTransaction(pool, (trx) => queue.fail(trx, [job])).then(
        () => {
          givingBack.delete(job.id);
          onTurn();
        },
        (error: unknown) => {
          onError(error);
          if (givingBack.has(job.id)) setTimeout(() => void attempt(), GIVE_BACK_AGAIN_MS);
        },
      );
    void attempt();
  }

  function stopTurn(id: TurnId, reason: StopReason): void {
    running.get(id)?.stop.abort(new TurnStopped(reason));
  }

  /** Stops those of `ids` that were cancelled or taken over. */
  async function check(ids: readonly TurnId[]): Promise<void> {
    const asked = ids.flatMap((id) => running.get(id) ?? []);
    if (asked.length === 0) return;
    const { rows } = await pool.query<{ id: TurnId; attempt: number; cancelReason: CancelReason | null }>(
      `select id, attempt, cancel_reason as "cancelReason" from turns where id = any($1::uuid[]) and status = 'running'`,
      [asked.map(({ turn }) => turn.id)],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const { turn, stop } of asked) {
      const row = found.get(turn.id);
      if (row?.attempt !== turn.attempt) stop.abort(new TurnStopped('superseded'));
      else if (row.cancelReason) stop.abort(new TurnStopped(row.cancelReason));
    }
  }

  return {
    begin,
    check,
    has: (id: TurnId) => running.has(id),
    count: () => running.size,
    /** Tells of the end of a turn that was ended without being run. */
    tellEnded: (turn: Turn, ending: TurnEnding) => {
      createTeller(turn)({ type: 'turn-ended', ...ending });
      options.onEnded(turn);
    },

    async heartbeat(): Promise<void> {
      if (running.size === 0) return;
      await queue.touch([...running.values()].map(({ job }) => job));
      await check([...running.keys()]);
    },

    async giveBackUnknown(self: ReplicaId): Promise<void> {
      await inTransaction(pool, async (trx) => {
        const jobs = await runningJobs(trx, self);
        await queue.fail(
          trx,
          jobs.filter(({ id }) => !running.has(id) && !givingBack.has(id)),
        );
      });
    },

    /** Stops everything at once; resolves when nothing here writes any more. */
    async stopAll(): Promise<void> {
      givingBack.clear();
      const ended = [...running.values()].map((entry) => entry.ended);
      for (const id of running.keys()) stopTurn(id, 'drained');
      await Promise.all(ended);
    },
  };
}

const ALL = 1_000_000_000;

function isCancelled(signal: AbortSignal): boolean {
  return signal.reason instanceof TurnStopped && signal.reason.cancelled !== undefined;
}
