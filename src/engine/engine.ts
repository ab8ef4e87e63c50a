import type pg from 'pg';
import { Superseded } from '#domain/errors.ts';
import { newId, type ReplicaId, type TurnId } from '#domain/ids.ts';
import type { CancelReason, Turn } from '#domain/turn.ts';
import type { OwnedTransaction } from '#store/connection.ts';
import { type ClaimedTurn, claimTurns } from './claim.ts';
import { startDispatcher } from './dispatcher.ts';
import { connectEngine, inTransaction } from './engine-connection.ts';
import { type Signal, sendSignal, startListener } from './listener.ts';
import { buryDeadReplicas, handBack } from './presence.ts';
import { openQueue } from './queue.ts';
import { repeat } from './repeat.ts';
import { createSettler, type TurnEnd } from './settle.ts';
import { sweepLostTurns } from './sweep.ts';

/** Why a turn must stop at once. After the last two it writes nothing more: it is, or will be, somebody else's. */
export type StopReason = CancelReason | 'superseded' | 'drained';

export class TurnStopped extends Error {
  override readonly name = 'TurnStopped';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The turn was stopped: ${reason}.`);
    this.reason = reason;
  }
}

/** Runs one turn to its end. Throwing means that it did not end: it will be begun again, here or elsewhere. */
export type RunTurn = (
  turn: Turn,
  run: { readonly signal: AbortSignal; readonly poisoned: boolean },
) => Promise<TurnEnd>;

export type Engine = Awaited<ReturnType<typeof startEngine>>;

type Running = ClaimedTurn & { readonly stop: AbortController };

/** Runs the turns of all replicas on one database: claims, fences, heartbeats, takes over, hands back. */
export async function startEngine(options: {
  connection: pg.PoolConfig;
  capacity: number;
  runTurn: RunTurn;
  onEnded: (turn: Turn) => void;
  onError: (error: unknown) => void;
}) {
  const { onError } = options;
  const replica: ReplicaId = newId();
  const pool = connectEngine(options.connection, onError);
  const queue = await openQueue(pool, onError);
  const settle = createSettler(pool, queue, () => dispatcher.kick());
  const running = new Map<TurnId, Running>();
  let draining = false;

  const dispatcher = startDispatcher({
    capacity: options.capacity,
    running: () => running.size,
    claim: (count) => claimTurns(pool, queue, replica, count),
    begin: (claimed) => void begin(claimed),
    onError,
  });

  async function begin(claimed: ClaimedTurn): Promise<void> {
    const { turn } = claimed;
    const stop = new AbortController();
    running.get(turn.id)?.stop.abort(new TurnStopped('superseded'));
    running.set(turn.id, { ...claimed, stop });
    try {
      const end = await options.runTurn(turn, { signal: stop.signal, poisoned: claimed.poisoned });
      if (await settle(claimed, end)) options.onEnded(turn);
    } catch (error) {
      const ours = !stop.signal.aborted && !(error instanceof Superseded);
      if (ours) onError(error);
      if (ours || isCancel(stop.signal.reason)) giveBack(claimed);
    } finally {
      if (running.get(turn.id)?.stop === stop) running.delete(turn.id);
      dispatcher.kick();
    }
  }

  /** The run broke, most likely with its connection: somebody shall begin it again. Until that is said, its heartbeat ends it. */
  function giveBack({ job }: ClaimedTurn): void {
    inTransaction(pool, (trx) => queue.fail(trx, [job])).then(() => dispatcher.kick(), onError);
  }

  function stopTurn(id: TurnId, reason: StopReason): void {
    running.get(id)?.stop.abort(new TurnStopped(reason));
  }

  function hear(signal: Signal): void {
    if ('wake' in signal) dispatcher.kick();
    if ('cancel' in signal) void checkRunning([signal.cancel]).catch(onError);
  }

  /** Stops those of the running turns that were cancelled or taken over, and answers nothing about the rest. */
  async function checkRunning(ids: readonly TurnId[]): Promise<void> {
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

  const listener = await startListener({
    connection: options.connection,
    replica,
    onSignal: hear,
    onConnect: () => dispatcher.kick(),
    onError,
  });

  const chores = [
    repeat(3000, heartbeat, onError),
    repeat(500, watchPeers, onError),
    repeat(15_000, async () => void ((await sweepLostTurns(pool, queue)) && dispatcher.kick()), onError),
  ];

  async function heartbeat(): Promise<void> {
    if (running.size === 0) return;
    await queue.touch([...running.values()].map(({ job }) => job));
    await checkRunning([...running.keys()]);
  }

  /** After a restart of PostgreSQL all locks are free until their owners are back: wait a little before believing it. */
  async function watchPeers(): Promise<void> {
    const since = listener.presentSince();
    if (since === undefined || performance.now() - since < 2000) return;
    if ((await buryDeadReplicas(pool, queue, replica)) > 0) dispatcher.kick();
  }

  return {
    replica,
    /** Lets a turn run that has its thread, once the caller's transaction has committed and `kick` was called. */
    enqueue: (trx: OwnedTransaction, turnId: TurnId) => queue.send(trx, turnId),
    /** Something was enqueued here. A full replica tells the others. */
    kick: () => {
      if (dispatcher.free() > 0) dispatcher.kick();
      else sendSignal(pool, { wake: true }).catch(onError);
    },
    /** Stops a turn wherever it runs, after its row says that it was cancelled. */
    signalCancel: async (turn: Turn): Promise<void> => {
      if (running.has(turn.id)) await checkRunning([turn.id]);
      else await sendSignal(pool, { cancel: turn.id });
    },
    isRunning: (id: TurnId) => running.has(id),
    countRunning: () => running.size,

    /** Stops in good order: nothing new is begun, and what is unfinished goes on elsewhere at once. */
    drain: async (): Promise<void> => {
      if (draining) return;
      draining = true;
      await dispatcher.stop();
      await Promise.all(chores.map((chore) => chore.stop()));
      for (const id of running.keys()) stopTurn(id, 'drained');
      await inTransaction(pool, (trx) => handBack(trx, queue, replica)).catch(onError);
      await sendSignal(pool, { wake: true }).catch(onError);
      await listener.close();
      await queue.stop();
      await pool.end();
    },
  };
}

const isCancel = (reason: unknown) =>
  reason instanceof TurnStopped && reason.reason !== 'superseded' && reason.reason !== 'drained';
