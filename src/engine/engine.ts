import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createBatch } from '#domain/batch.ts';
import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { ReplicaFacts } from '#domain/joining-replica.ts';
import type { Item } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { CreatePool } from '#store/connection.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { startDispatcher } from './dispatcher.ts';
import { connectEngine, limitStatements } from './engine-connection.ts';
import { ENGINE_TIMES, type EngineTimes } from './engine-times.ts';
import { isLastEvent, writeEvents } from './events/event-log.ts';
import { createEventWriter } from './events/event-writer.ts';
import { createFollowing } from './events/following.ts';
import { createWatchers, type WatchOptions } from './events/watchers.ts';
import { startLeaderTasks } from './leader-tasks.ts';
import { createPlaces } from './places.ts';
import { type Due, handBack, startHeartbeat } from './presence/heartbeat.ts';
import { type Signal, sendSignal, startListener } from './presence/listener.ts';
import { createTrials } from './presence/trial.ts';
import { createRunningTurns, type RunTurn } from './running-turns.ts';
import { type Accepted, type Accepting, acceptTurns } from './statements/accept.ts';

import { claimTurns } from './statements/claim.ts';
import { createThreadChanges, type ThreadChanged } from './statements/thread-changes.ts';
import { readClaimedTurns, readContexts, readLargeHistory, type TurnContext } from './statements/turn-context.ts';
import { readTrace } from './statements/turn-trace.ts';
import { type RetryPolicy, retryWhileBusy, withRetries } from './with-retries.ts';

export type Engine = Awaited<ReturnType<typeof startEngine>>;

/** How long a draining replica waits for its turns to stop. */
const UNWIND_MS = 5000;
/** How long an input is retried while the database is unavailable. The sender waits meanwhile. */
const ACCEPT_MS = 2000;
/** And while its thread is locked, which usually lasts only a moment. */
const BUSY_MS = 10_000;
/** Runs the turns of all replicas that share one database: accepts, fences, settles, takes over, hands back and streams them. */
export async function startEngine(options: {
  connection: pg.PoolConfig;
  createPool?: CreatePool;
  /** How many connections the pool may open, besides the listening one; at least two. */
  connections: number;
  replica: ReplicaId;
  /** The `application_name` of all connections of this process. */
  application: string;
  capacity: number;
  /** What other replicas learn about this one. */
  facts: ReplicaFacts;
  /** Called with the live peers before this replica claims anything; throws to refuse the start. */
  admit: (living: readonly ReplicaFacts[]) => void;
  runTurn: RunTurn;
  /** Called with each turn that is accepted on this replica, before it is claimed here. */
  onAccepted?: (turn: Turn) => void;
  /** Called with the number of turns that this replica took from dead replicas. */
  onTakenOver?: (turns: number) => void;
  /** Called with the name of a background task after each of its rounds here. */
  onRound?: (task: string) => void;
  onError: (error: unknown) => void;
  /** Whether an error is temporary: the database can't be reached, or can't serve the statement at the moment. */
  isAway: (error: unknown) => boolean;
  times?: Partial<EngineTimes> | undefined;
}) {
  const { connection, replica, onError } = options;
  const times = { ...ENGINE_TIMES, ...options.times };
  const pool = connectEngine({ ...connection, max: options.connections }, onError, options.createPool);
  const reads = limitStatements(pool, options.connections - 1);
  const errands = limitStatements(pool, 1);
  const endFollowers = new Set<(turn: Turn) => void>();
  const dueFollowers = new Set<(due: Due) => void>();
  const removalFollowers = new Set<() => void>();
  const accepting = new Set<TurnId>(); // sent, but not answered yet
  let drained = false;

  const retryPolicy: RetryPolicy = {
    isAway: options.isAway,
    onDeclaredDead: async () => {
      if (drained) throw new Error('The engine was stopped.');
      await listener.announce();
    },
  };
  const following = createFollowing({ pool, replica, count: () => changes.count() + watchers.countAway(), onError });
  const isFollowedElsewhere = () => heartbeat.isFollowedElsewhere() || following.wasHeard();
  const writer = createEventWriter(async (runs) => {
    await writeEvents(pool, runs);
    if (isFollowedElsewhere()) await sendSignal(pool, { events: replica });
  }, options);
  const watchers = createWatchers({
    pool: reads,
    writer,
    eventCount: (id) => running.eventCount(id),
    onAway: following.changed,
    onError,
  });
  const changes = createThreadChanges({
    pool: reads,
    replica,
    isFollowedElsewhere,
    onFollowers: following.changed,
    onError,
  });
  const running = createRunningTurns({
    pool,
    replica,
    writer,
    retryPolicy,
    room: () => places.room(),
    trials: createTrials({ session: { query: (statement) => listener.query(statement) }, pool, replica, onError }),
    runTurn: options.runTurn,
    push: watchers.push,
    isShown: watchers.isShown,
    // Turns of this user may wait although there is room, if the user had all places that one may have.
    onFree: (user) => (places.findExceeding([user, user])[1] ? dispatcher.kick() : dispatcher.freed()),
    onStarted: (id, user) => void places.start([user], () => beginClaimed([id])).catch(onError),
    onWaiting: kick,
    onOrphans: (ids) => void claim(0, ids).catch(onError),
    onEnded: (turn) => {
      changes.notify(turn);
      for (const follow of endFollowers) follow(turn);
    },
    onError,
  });
  const places = createPlaces(options.capacity, running);
  const dispatcher = startDispatcher({ room: places.room, claim, onError });

  const store = async (slots: number, inputs: readonly Accepting[]): Promise<Accepted[]> =>
    inputs.length === 0 ? [] : acceptTurns(pool, replica, slots, inputs);

  /** Runs the turns that started here. */
  function begin(accepted: Accepted[]): Accepted[] {
    for (const each of accepted) {
      if (each.outcome !== 'accepted') continue;
      if (!each.turn.failure) options.onAccepted?.(each.turn);
      if (each.claimed) running.begin(each.claimed);
    }
    return accepted;
  }

  /** The inputs of users who hold all places that they may hold are stored after the others, and wait. */
  const acceptBatch = createBatch<Accepting, Accepted>(async (batch) => {
    const exceeding = places.findExceeding(batch.map(({ userId }) => userId));
    const able = batch.filter((_, index) => !exceeding[index]);
    const others = batch.filter((_, index) => exceeding[index]);
    const holders = able.map(({ userId }) => userId);
    const accepted = await places.start(holders, async (slots) => begin(await store(slots, able)));
    const waiting = begin(await store(0, others));
    return exceeding.map((isExceeding) => (isExceeding ? waiting : accepted).shift() as Accepted);
  }, options.isAway);

  /** Accepts an input. Once this resolves to `accepted`, the input can't be lost; usually its turn already runs here. */
  async function accept(input: Accepting): Promise<Accepted> {
    accepting.add(input.turnId);
    try {
      const accepted = await withRetries(retryPolicy, { forMs: ACCEPT_MS }, () => acceptBatch(input));
      if (accepted.outcome === 'accepted' && accepted.waits) kick();
      return accepted;
    } finally {
      accepting.delete(input.turnId);
    }
  }

  const acceptWhenFree = (input: Accepting) => retryWhileBusy({ forMs: BUSY_MS }, () => accept(input));

  function claim(count: number, orphans: readonly TurnId[] = []): Promise<number> {
    return places.claim(count, async (slots) => {
      const shares = places.shares();
      const ids = await withRetries(retryPolicy, { forMs: 0 }, () => claimTurns(pool, replica, slots, shares, orphans));
      await beginClaimed(ids);
      return ids.length;
    });
  }

  /** Turns that can't be read now are found as orphans soon. */
  async function beginClaimed(ids: readonly TurnId[]): Promise<void> {
    if (ids.length === 0) return;
    for (const claimed of await readClaimedTurns(pool, replica, ids)) {
      running.begin(claimed);
      changes.notify(claimed.turn); // it waits no longer
    }
  }

  /** A turn waits for a replica. If this one is full, it signals the others. */
  function kick(): void {
    if (places.room() > 0) dispatcher.kick();
    else sendSignal(pool, { wake: true }).catch(onError);
  }

  function takenOver(turns: number): void {
    if (turns === 0) return;
    options.onTakenOver?.(turns);
    dispatcher.kick();
  }

  function hear(signal: Signal): void {
    if ('wake' in signal) dispatcher.kick();
    if ('cancel' in signal) running.check(signal.cancel).catch(onError);
    if ('events' in signal && signal.events !== replica) watchers.hear();
    if ('follows' in signal && signal.follows !== replica) following.hear();
    if ('removed' in signal) userRemoved();
    if ('threads' in signal && signal.from !== replica) changes.hear(signal.threads);
  }

  const userRemoved = () => {
    for (const follow of removalFollowers) follow();
  };

  const listener = await startListener({
    connection,
    replica,
    facts: options.facts,
    admit: options.admit,
    application: options.application,
    onSignal: hear,
    onConnect: () => {
      dispatcher.kick();
      watchers.hear();
      following.reset();
      userRemoved(); // perhaps: a signal may have been missed
    },
    onError,
  }).catch(async (error: unknown) => {
    await Promise.all([dispatcher.stop(), writer.stop(), watchers.stop(), changes.stop()]);
    await pool.end();
    throw error;
  });
  const heartbeat = startHeartbeat({
    session: listener,
    pool,
    replica,
    times,
    announce: retryPolicy.onDeclaredDead,
    before: running.remember,
    onRunning: (rows, remembered) => running.compareAll(rows, remembered, (id) => accepting.has(id)),
    onReady: () => dispatcher.kick(),
    onDue: (due) => {
      for (const follow of dueFollowers) follow(due);
    },
    onTakenOver: takenOver,
    onError,
  });

  const leaderTasks = startLeaderTasks({
    pool: errands,
    replica,
    times,
    isLeader: heartbeat.isLeader,
    mayJudge: heartbeat.mayJudge,
    onTakenOver: takenOver,
    onWaiting: () => dispatcher.kick(),
    onRound: (task) => options.onRound?.(task),
    onError,
  });

  return {
    replica,
    /** For queries that read the rows of all users. */
    system: reads satisfies SystemConnection,
    /** For statements that may be slow and are never urgent: one at a time. */
    errands: errands satisfies SystemConnection,
    /** Whether this replica does the work that one replica does for all. */
    isLeader: heartbeat.isLeader,
    /** Repeats work that one replica does for all. */
    startLeaderTask: leaderTasks.start,
    accept: acceptWhenFree,
    /** Call after committing a transaction that accepted `turn`, which waits for a replica. */
    kick: (turn: Turn): void => {
      options.onAccepted?.(turn);
      kick();
    },
    /** Whether turns can be accepted and claimed here. */
    isReady: () => heartbeat.isSteady() && dispatcher.isWell(),
    /** Stops a turn on the replica that runs it, once its row is marked as cancelled. One that waits for a replica is closed here. */
    stopCancelled: async (turn: Turn): Promise<void> => {
      if (running.has(turn.id)) return running.check(turn.id);
      const claimed = await claim(0, [turn.id]);
      if (claimed === 0) await sendSignal(pool, { cancel: turn.id });
    },
    /** Notifies watchers of a turn that ended without being run. The next turn of its thread may wait for a replica now. */
    notifyEnded: (...ended: Parameters<typeof running.notifyEnded>): void => {
      running.notifyEnded(...ended);
      kick();
    },
    /** Notifies followers of a change to a thread that did not go through this engine. */
    notifyThread: (change: ThreadChanged) => changes.notify(change),
    followThreads: (...follow: Parameters<typeof changes.follow>) => changes.follow(...follow),
    /** Calls `follow` with each turn that ends on this replica, until the returned function is called. */
    followEnds: (follow: (turn: Turn) => void) => {
      endFollowers.add(follow);
      return () => void endFollowers.delete(follow);
    },
    /** Calls `follow` about once per second while such work is due, if this is one of the two oldest replicas. */
    followDue: (kind: keyof Due, follow: () => void): void => {
      let last = -Infinity;
      dueFollowers.add((due) => {
        if (!due[kind] || performance.now() - last < times.duePause) return;
        last = performance.now();
        follow();
      });
    },
    /** Calls `follow` when a user has been removed, on any replica or by a command, or when this may have been missed. */
    followRemovals: (follow: () => void): void => void removalFollowers.add(follow),
    /** The context the turn would get if it started now. */
    readContext: async (turn: Turn): Promise<TurnContext> => {
      const [context] = await readContexts(reads, [turn]);
      if (!context) throw new Error(`The turn ${turn.id} has no context.`);
      return context;
    },
    /** The items that the turn would get with this context. */
    readHistory: async (turn: Turn, { history }: TurnContext): Promise<readonly Item[]> =>
      history ?? (await readLargeHistory(reads, turn)).items,
    /** The attempts at a turn, as far as the event log still holds them. */
    readTrace: (turnId: TurnId) => readTrace(reads, turnId),
    /** Writes the events of this replica's turns to the log now. */
    flushEvents: () => writer.flush(),
    isLastEvent: (turnId: TurnId, sequence: number) => isLastEvent(reads, turnId, sequence),
    watch: (turnId: TurnId, how: WatchOptions) => watchers.watch(turnId, how),
    collect: (turnId: TurnId, signal: AbortSignal) => watchers.collect(turnId, signal),

    /** Shuts down in order: starts nothing new, and hands unfinished turns to other replicas at once. */
    drain: async (): Promise<void> => {
      await Promise.all([dispatcher.stop(), heartbeat.stop(), leaderTasks.stop()]);
      drained = true;
      const unwinding = running.stopAll();
      await writer.stop();
      await handBack(pool, replica).catch(onError);
      await sendSignal(pool, { wake: true }).catch(onError);
      await Promise.race([unwinding, sleep(UNWIND_MS, undefined, { ref: false })]);
      await watchers.stop();
      await changes.stop();
      await listener.close();
      await pool.end();
    },
  };
}
