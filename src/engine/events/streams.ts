import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { EnginePool } from '../engine-connection.ts';
import { type Signal, sendSignal } from '../presence/listener.ts';
import { writeEvents } from './event-log.ts';
import { createEventWriter } from './event-writer.ts';
import { createFollowing } from './following.ts';
import { createThreadChanges } from './thread-changes.ts';
import { createWatchers } from './watchers.ts';

export type Streams = ReturnType<typeof createStreams>;

/** All that clients see as it happens: the events of turns and the changes of threads, between all replicas. */
export function createStreams(options: {
  pool: EnginePool;
  /** For reads that any number of clients can cause. */
  reads: EnginePool;
  replica: ReplicaId;
  /** How many events the attempt that runs here has emitted; undefined if the turn doesn't run here. */
  eventCount: (turnId: TurnId) => number | undefined;
  /** Whether another replica has followers of threads or turns, as of the last heartbeat. */
  isFollowedElsewhere: () => boolean;
  isAway: (error: unknown) => boolean;
  onError: (error: unknown) => void;
}) {
  const { pool, reads, replica, eventCount, onError } = options;
  const following = createFollowing({ pool, replica, count: () => changes.count() + watchers.countAway(), onError });
  const isFollowedElsewhere = () => options.isFollowedElsewhere() || following.hasReceived();
  const writer = createEventWriter(async (runs) => {
    await writeEvents(pool, runs);
    if (isFollowedElsewhere()) await sendSignal(pool, { events: replica });
  }, options);
  const onAway = following.changed;
  const watchers = createWatchers({ pool: reads, writer, eventCount, onAway, onError });
  const changes = createThreadChanges({ pool: reads, replica, isFollowedElsewhere, onFollowers: onAway, onError });

  return {
    writer,
    watchers,
    changes,
    /** Handles what concerns streams in a signal of another replica. */
    receive(signal: Signal): void {
      if ('events' in signal && signal.events !== replica) watchers.pollSoon();
      if ('follows' in signal && signal.follows !== replica) following.received();
      if ('threads' in signal && signal.from !== replica) changes.receive(signal.threads);
    },
    /** Signals may have been missed, and this replica's row was created again. */
    reconnected(): void {
      watchers.pollSoon();
      following.reset();
    },
    async stop(): Promise<void> {
      await watchers.stop();
      await changes.stop();
    },
  };
}
