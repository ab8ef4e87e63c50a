import type { ReplicaId } from '#domain/ids.ts';
import type { EnginePool } from '../engine-connection.ts';
import { sendSignal } from '../presence/listener.ts';

/** How long a peer's word counts before its row has to say the same. */
const HEARD_MS = 2000;

/** Lets replicas know which of them have somebody to tell, so that nothing is signalled to nobody. */
export function createFollowing(options: {
  pool: EnginePool;
  replica: ReplicaId;
  /** How many follow threads, or turns that run elsewhere, on this replica. */
  count: () => number;
  onError: (error: unknown) => void;
}) {
  const { pool, replica, onError } = options;
  let announced = false;
  let heardAt = -Infinity;

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
    /** Somebody began or ended to follow. */
    changed: () => void announce(),
    /** This replica's row was made anew. */
    reset: () => {
      announced = false;
      void announce();
    },
    hear: () => {
      heardAt = performance.now();
    },
    wasHeard: () => performance.now() - heardAt < HEARD_MS,
  };
}
