import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type GateId, newId, type ReplicaId, type TurnId } from '#domain/ids.ts';
import type { ReplicaFacts } from '#domain/joining-replica.ts';
import type { Turn } from '#domain/turn.ts';
import type { OwnedTransaction } from '#store/connection.ts';
import { takeCensus } from './census.ts';
import { type ClaimedTurn, claimTurns } from './claim.ts';
import { countEnded, countTurns } from './count-turns.ts';
import { startDispatcher } from './dispatcher.ts';
import { connectEngine, inTransaction } from './engine-connection.ts';
import { isLastEvent, writeEvents } from './event-log.ts';
import { createEventWriter } from './event-writer.ts';
import { findGateOwner, findOverdueGates } from './find-gates.ts';
import { findManyNotes } from './find-many-notes.ts';
import { findReplicas } from './find-replicas.ts';
import { findOwnersOfWaitingNotes } from './find-waiting-notes.ts';
import { forgetOld } from './forget.ts';
import { type Signal, sendSignal, startListener } from './listener.ts';
import { buryDeadReplicas, handBack } from './presence.ts';
import { openQueue } from './queue.ts';
import { repeat } from './repeat.ts';
import { createRunningTurns, type RunTurn } from './running-turns.ts';
import { sweepLostTurns } from './sweep.ts';
import { createThreadChanges, type ThreadChanged } from './thread-changes.ts';
import { readTrace } from './turn-trace.ts';
import { createWatchers, type WatchOptions } from './watchers.ts';

export type Engine = Awaited<ReturnType<typeof startEngine>>;

/** How long a leaving replica waits for its turns to notice that they were stopped. */
const UNWIND_MS = 5000;

/** Runs the turns of all replicas on one database: claims, fences, heartbeats, takes over, hands back, and lets be watched. */
export async function startEngine(options: {
  connection: pg.PoolConfig;
  capacity: number;
  /** What peers are told about this replica. */
  facts: ReplicaFacts;
  /** Is shown the living peers before this replica claims anything, and may throw to keep it out. */
  admit: (living: readonly ReplicaFacts[]) => void;
  runTurn: RunTurn;
  onError: (error: unknown) => void;
  /** Whether an error says that the database can't be reached. */
  isAway: (error: unknown) => boolean;
  /** How long a completed job can still be asked for. */
  keepJobsDays: number;
}) {
  const { connection, onError } = options;
  const replica: ReplicaId = newId();
  const pool = connectEngine(connection, onError);
  const queue = await openQueue(pool, onError);
  let peers = 0;
  let followedElsewhere = false;
  let claimFailed = false;
  let isAdmitted = false;
  const endFollowers = new Set<(turn: Turn) => void>();

  const writer = createEventWriter(async (runs) => {
    await writeEvents(pool, runs);
    if (peers > 0) await sendSignal(pool, { events: replica });
  }, onError);
  const watchers = createWatchers({ pool, writer, runsHere: (id) => running.has(id), onError });
  const changes = createThreadChanges({ pool, replica, isFollowedElsewhere: () => followedElsewhere, onError });
  const running = createRunningTurns({
    pool,
    queue,
    writer,
    runTurn: options.runTurn,
    push: watchers.push,
    onFree: () => dispatcher.freed(),
    onTurn: () => dispatcher.kick(),
    onEnded: (turn) => {
      changes.tell(turn);
      for (const follow of endFollowers) follow(turn);
    },
    onError,
    isAway: options.isAway,
  });
  const dispatcher = startDispatcher({
    capacity: options.capacity,
    running: running.count,
    claim,
    begin: running.begin,
    onError,
  });

  /** A claim whose answer was lost may have been made all the same: what it took and nobody runs is given back first. */
  async function claim(count: number): Promise<ClaimedTurn[]> {
    if (!isAdmitted) return [];
    if (claimFailed) await running.giveBackUnknown(replica);
    claimFailed = true;
    const claimed = await claimTurns(pool, queue, replica, count);
    claimFailed = false;
    return claimed;
  }

  function hear(signal: Signal): void {
    if ('wake' in signal) dispatcher.kick();
    if ('cancel' in signal) running.check([signal.cancel]).catch(onError);
    if ('events' in signal && signal.events !== replica) watchers.hear();
    if ('threads' in signal && signal.from !== replica) changes.hear(signal.threads);
  }

  const listener = await startListener({
    connection,
    replica,
    facts: options.facts,
    admit: options.admit,
    onSignal: hear,
    onConnect: () => {
      isAdmitted = true;
      dispatcher.kick();
      watchers.hear();
      if (changes.count() > 0) void changes.announce();
    },
    onError,
  }).catch(async (error: unknown) => {
    await Promise.all([dispatcher.stop(), writer.stop(), watchers.stop(), changes.stop()]);
    await queue.stop();
    await pool.end();
    throw error;
  });

  /** After a restart of PostgreSQL all locks are free until their owners are back: wait a little before believing it. */
  async function watchPeers(): Promise<void> {
    const since = listener.presentSince();
    if (since === undefined || performance.now() - since < 2000) return;
    const census = await buryDeadReplicas(pool, queue, replica);
    peers = census.living;
    followedElsewhere = census.followed;
    if (census.buried > 0) dispatcher.kick();
  }

  const chores = [
    repeat(3000, () => running.heartbeat(), onError),
    repeat(500, watchPeers, onError),
    repeat(15_000, async () => void ((await sweepLostTurns(pool, queue)) && dispatcher.kick()), onError),
    repeat(60_000, () => forgetOld(pool, options.keepJobsDays), onError),
  ];

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
    stopCancelled: async (turn: Turn): Promise<void> => {
      if (running.has(turn.id)) await running.check([turn.id]);
      else await sendSignal(pool, { cancel: turn.id });
    },
    /** Lets watchers know of a turn that was ended without being run. */
    tellEnded: running.tellEnded,
    /** Lets followers know that a thread has changed in a way that this engine did not see. */
    tellThread: (change: ThreadChanged) => changes.tell(change),
    followThreads: (...following: Parameters<typeof changes.follow>) => changes.follow(...following),
    /** Calls `follow` with each turn that ends on this replica, until the function it answers is called. */
    followEnds: (follow: (turn: Turn) => void) => {
      endFollowers.add(follow);
      return () => void endFollowers.delete(follow);
    },
    census: () => takeCensus(pool),
    findReplicas: () => findReplicas(pool, replica),
    countTurns: () => countTurns(pool),
    countEnded: () => countEnded(pool),
    /** How the attempts at a turn went, as far as the log still knows. */
    readTrace: (turnId: TurnId) => readTrace(pool, turnId),
    findOverdueGates: () => findOverdueGates(pool),
    findGateOwner: (id: GateId) => findGateOwner(pool, id),
    findOwnersOfWaitingNotes: (model: string) => findOwnersOfWaitingNotes(pool, model),
    findManyNotes: (asked: Parameters<typeof findManyNotes>[1]) => findManyNotes(pool, asked),
    isLastEvent: (turnId: TurnId, sequence: number) => isLastEvent(pool, turnId, sequence),
    watch: (turnId: TurnId, how: WatchOptions) => watchers.watch(turnId, how),

    /** Stops in good order: nothing new is begun, and what is unfinished goes on elsewhere at once. */
    drain: async (): Promise<void> => {
      await dispatcher.stop();
      await Promise.all(chores.map((chore) => chore.stop()));
      const unwinding = running.stopAll();
      await writer.stop();
      await inTransaction(pool, (trx) => handBack(trx, queue, replica)).catch(onError);
      await sendSignal(pool, { wake: true }).catch(onError);
      await Promise.race([unwinding, sleep(UNWIND_MS, undefined, { ref: false })]);
      await watchers.stop();
      await changes.stop();
      await listener.close();
      await queue.stop();
      await pool.end();
    },
  };
}
