import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { Item } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnEnding } from '#domain/thread/turn-event.ts';
import type { CreatePool } from '#store/connection.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import type { Decided } from './accept-inputs.ts';
import { connectEngine, type EnginePool, limitStatements } from './engine-connection.ts';
import { ENGINE_TIMES, type EngineTimes } from './engine-times.ts';
import { isLastEvent } from './events/event-log.ts';
import { createStreams, type Streams } from './events/streams.ts';
import type { ThreadChanged, ThreadChanges } from './events/thread-changes.ts';
import type { Watchers } from './events/watchers.ts';
import { createFollowers, type Followers } from './followers.ts';
import { type LeaderTasks, startLeaderTasks } from './leader-tasks.ts';
import { handBack, startHeartbeat } from './presence/heartbeat.ts';
import { type Joining, type Session, startListener } from './presence/listener.ts';
import { createQuarantine } from './presence/quarantine.ts';
import type { RunningTurns } from './running/running-turns.ts';
import type { RunTurn } from './running/turn-run.ts';
import type { Accepting } from './statements/accept.ts';
import { readContexts, readLargeHistory, type TurnContext } from './statements/turn-context.ts';
import { type AttemptTrace, readTrace } from './statements/turn-trace.ts';
import { createTurnsHere, type TurnsHere } from './turns-here.ts';
import type { RetryPolicy } from './with-retries.ts';

export type Engine = {
  readonly replica: ReplicaId;
  /** For queries that read the rows of all users. */
  readonly system: SystemConnection;
  /** For statements that may be slow and are never urgent: one at a time. */
  readonly errands: SystemConnection;
  /** Whether turns can be accepted and claimed here. */
  isReady(): boolean;
  /** Whether this replica does the work that one replica does for all. */
  isLeader(): boolean;
  /** Repeats work that one replica does for all. */
  readonly startLeaderTask: LeaderTasks['start'];

  /** Accepts an input. Once this resolves to `accepted`, the input can't be lost; usually its turn already runs here. */
  accept(input: Accepting): Promise<Decided>;
  /** Call after committing a transaction that accepted `turn`, which waits for a replica. */
  kick(turn: Turn): void;
  /** Call after committing a transaction that lets a turn continue. */
  wake(): void;
  /** Stops a turn on the replica that runs it, once its row is marked as cancelled. One that waits for a replica is closed here. */
  stopCancelled(turn: Turn): Promise<void>;
  /** The messages that steer this turn have changed: the replica that runs it looks at them again. */
  onSteered(turnId: TurnId): void;
  /** Notifies watchers of a turn that ended without being run. The next turn of its thread may wait for a replica now. */
  notifyEnded(turn: Turn, ending: TurnEnding): void;
  /** Notifies followers of a change to a thread that did not go through this engine. */
  notifyThread(change: ThreadChanged): void;

  readonly followThreads: ThreadChanges['follow'];
  /** Calls `follow` with each turn that ends on this replica, until the returned function is called. */
  readonly followEnds: Followers['followEnds'];
  /** Calls `follow` about once per second while such work is due, if this is one of the two oldest replicas. */
  readonly followDue: Followers['followDue'];
  /** Calls `follow` when a user has been removed or has another role, on any replica or by a command, or when this may have been missed. */
  readonly followRemovals: Followers['followRemovals'];

  /** The context the turn would get if it started now. */
  readContext(turn: Turn): Promise<TurnContext>;
  /** The items that the turn would get with this context. */
  readHistory(turn: Turn, context: TurnContext): Promise<readonly Item[]>;
  /** The attempts at a turn, as far as the event log still holds them. */
  readTrace(turnId: TurnId): Promise<AttemptTrace[]>;
  isLastEvent(turnId: TurnId, sequence: number): Promise<boolean>;
  readonly watch: Watchers['watch'];
  readonly collect: Watchers['collect'];
  /** Writes the events of this replica's turns to the log now. */
  flushEvents(): Promise<void>;

  /** Shuts down in order: starts nothing new, and hands unfinished turns to other replicas at once. */
  drain(): Promise<void>;
};

export type EngineOptions = Joining & {
  readonly connection: pg.PoolConfig;
  readonly createPool?: CreatePool;
  /** How many connections the pool may open, besides the listening one; at least two. */
  readonly connections: number;
  /** How many turns run here at most. */
  readonly capacity: number;
  readonly runTurn: RunTurn;
  /** Called with each turn that is accepted on this replica, before it is claimed here. */
  readonly onAccepted?: (turn: Turn) => void;
  /** Called with the number of turns that this replica took from dead replicas. */
  readonly onTakenOver?: (turns: number) => void;
  /** Called with the name of a background task after each of its rounds here. */
  readonly onRound?: (task: string) => void;
  readonly onError: (error: unknown) => void;
  /** Whether an error is temporary: the database can't be reached, or can't serve the statement at the moment. */
  readonly isAway: (error: unknown) => boolean;
  readonly times?: Partial<EngineTimes> | undefined;
};

/** How long a draining replica waits for its turns to stop. */
const UNWIND_MS = 5000;

/** Runs the turns of all replicas that share one database: accepts, fences, settles, takes over, hands back and streams them. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { replica, isAway, onError } = options;
  const times = { ...ENGINE_TIMES, ...options.times };
  const { pool, reads, errands } = connectPools(options);
  const basic = { pool, replica, onError };
  const followers = createFollowers(times.duePause);
  let drained = false;

  const announce = async () => {
    if (drained) throw new Error('The engine was stopped.');
    await listener.announce();
  };
  const retryPolicy: RetryPolicy = { isAway, onDeclaredDead: announce };
  const streams = createStreams({
    ...basic,
    reads,
    isAway,
    eventCount: (id) => turns.running.eventCount(id),
    isFollowedElsewhere: () => heartbeat.isFollowedElsewhere(),
  });
  const session: Session = { query: (statement) => listener.query(statement) };
  const quarantine = createQuarantine({ ...basic, session });
  const turns = createTurnsHere({ ...options, pool, streams, quarantine, retryPolicy, onEnded: followers.ended });
  const { running, dispatcher } = turns;

  const listener = await startListener({
    ...options,
    onSignal: (signal) => {
      turns.receive(signal);
      streams.receive(signal);
      if ('removed' in signal) followers.userRemoved();
    },
    onConnect: () => {
      dispatcher.kick();
      streams.reconnected();
      followers.userRemoved(); // perhaps: a signal may have been missed
    },
  }).catch(async (error: unknown) => {
    await Promise.all([dispatcher.stop(), streams.writer.stop(), streams.stop()]);
    await pool.end();
    throw error;
  });
  const timed = { ...basic, times, onTakenOver: turns.takenOver };
  const heartbeat = startHeartbeat({
    ...timed,
    session,
    announce,
    before: running.remember,
    onRunning: (rows, remembered) => running.compareAll(rows, remembered, turns.isAccepting),
    onReady: dispatcher.kick,
    onDue: followers.due,
  });
  const leaderTasks = startLeaderTasks({
    ...timed,
    ...heartbeat,
    pool: errands,
    onWaiting: dispatcher.kick,
    onRound: (task) => options.onRound?.(task),
  });

  return {
    replica,
    system: reads,
    errands,
    isLeader: heartbeat.isLeader,
    startLeaderTask: leaderTasks.start,
    isReady: () => heartbeat.isSteady() && dispatcher.isWell(),
    ...turnPart(turns),
    ...streamPart(streams),
    ...followPart(followers),
    ...readPart(reads),
    drain: async () => {
      await Promise.all([dispatcher.stop(), heartbeat.stop(), leaderTasks.stop()]);
      drained = true;
      await unwind(basic, running, streams);
      await listener.close();
      await pool.end();
    },
  };
}

function connectPools({ connection, connections, createPool, onError }: EngineOptions) {
  const pool = connectEngine({ ...connection, max: connections }, onError, createPool);
  return { pool, reads: limitStatements(pool, connections - 1), errands: limitStatements(pool, 1) };
}

/** Stops the turns that run here, and hands them to other replicas without waiting for those that stop slowly. */
async function unwind(
  { pool, replica, onError }: Pick<EngineOptions, 'replica' | 'onError'> & { readonly pool: EnginePool },
  running: RunningTurns,
  streams: Streams,
): Promise<void> {
  const unwinding = running.stopAll();
  await streams.writer.stop();
  await handBack(pool, replica).catch(onError);
  await Promise.race([unwinding, sleep(UNWIND_MS, undefined, { ref: false })]);
  await streams.stop();
}

const turnPart = ({ accept, kick, wake, stopCancelled, onSteered, notifyEnded }: TurnsHere) => ({
  accept,
  kick,
  wake,
  stopCancelled,
  onSteered,
  notifyEnded,
});

const streamPart = ({ changes, watchers, writer }: Streams) => ({
  notifyThread: changes.notify,
  followThreads: changes.follow,
  watch: watchers.watch,
  collect: watchers.collect,
  flushEvents: writer.flush,
});

const followPart = ({ followEnds, followDue, followRemovals }: Followers) => ({
  followEnds,
  followDue,
  followRemovals,
});

const readPart = (reads: EnginePool): Pick<Engine, 'readContext' | 'readHistory' | 'readTrace' | 'isLastEvent'> => ({
  readContext: async (turn) => {
    const [context] = await readContexts(reads, [turn]);
    if (!context) throw new Error(`The turn ${turn.id} has no context.`);
    return context;
  },
  readHistory: async (turn, { history }) => history ?? (await readLargeHistory(reads, turn)).items,
  readTrace: (turnId) => readTrace(reads, turnId),
  isLastEvent: (turnId, sequence) => isLastEvent(reads, turnId, sequence),
});
