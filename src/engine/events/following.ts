import type { ReplicaId } from '#domain/ids.ts';
import type { EnginePool } from '../engine-connection.ts';
import { sendSignal } from '../presence/listener.ts';

/** How long a peer's signal counts before its row must confirm it. */
const FRESH_MS = 2000;

/** Announces whether this replica has followers, so that the others send no signals without a receiver. */
export function createFollowing(options: {
  pool: EnginePool;
  replica: ReplicaId;
  /** The number of followers on this replica, of threads and of turns that run elsewhere. */
  count: () => number;
  onError: (error: unknown) => void;
}) {
  const { pool, replica, onError } = options;
  let announced = false;
  let receivedAt = -Infinity;

  async function announce(): Promise<void> {
    const follows = options.count() > 0;
    if (follows === announced) return;
    announced = follows;
    try {
      await pool.query('update replicas set followed = $2 where id = $1', [replica, follows]);
      if (follows) await sendSignal(pool, { follows: replica });
    } catch (error) {
      announced = !follows; // the next change, or the next connection, tries again
      onError(error);
    }
  }

  return {
    /** A follower was added or removed. */
    changed: () => void announce(),
    /** This replica's row was created again. */
    reset: () => {
      announced = false;
      void announce();
    },
    /** Another replica has said that it has followers. */
    received: () => {
      receivedAt = performance.now();
    },
    hasReceived: () => performance.now() - receivedAt < FRESH_MS,
  };
}
