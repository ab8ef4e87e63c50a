import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplicaId } from '#domain/ids.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';
import type { Session } from './listener.ts';

/** The single lock that all suspects of all replicas wait for. */
const TRIAL = [8248, 0];
const TRY_AGAIN_MS = 250;
/** An innocent turn may take an hour; one that kills its host does so long before this. */
const LONGEST_MS = 60_000;

/**
 * Turns whose hosts died under them twice run one at a time in the whole cluster. If the host dies again, the turn is
 * the cause, and no other suspect is affected. The suspects of one replica queue here; only the first of them waits for
 * the cluster's lock. A lost connection loses the lock too, and the trial continues: another host may then try one of its
 * suspects at the same time, but no host ever runs two.
 */
export function createTrials(options: {
  session: Session;
  pool: EnginePool;
  replica: ReplicaId;
  onError: (error: unknown) => void;
}) {
  let last: Promise<void> = Promise.resolve();

  /** Resolves to a function that ends the trial, once the trial of `turn` has started. */
  async function begin(turn: Turn, signal: AbortSignal): Promise<() => void> {
    const over = Promise.withResolvers<void>();
    const before = last;
    last = before.then(() => over.promise);
    try {
      await unlessAborted(before, signal);
      await lock(options.session, signal);
      void over.promise.then(() => unlock(options.session)).catch(options.onError);
      await options.pool.query(
        `update turns set trial = attempt where id = $1 and attempt = $2 and runner = $3 and status = 'running'`,
        [turn.id, turn.attempt, options.replica],
      );
    } catch (error) {
      over.resolve();
      throw error;
    }
    const longest = setTimeout(over.resolve, LONGEST_MS);
    return () => {
      clearTimeout(longest);
      over.resolve();
    };
  }

  return { begin };
}

async function lock(session: Session, signal: AbortSignal): Promise<void> {
  const text = 'select pg_try_advisory_lock($1, $2) as locked';
  for (;;) {
    const { rows } = await session.query<{ locked: boolean }>({ text, values: TRIAL });
    if (rows[0]?.locked) return;
    await sleep(TRY_AGAIN_MS, undefined, { signal });
  }
}

/** Does nothing but log a warning if the connection was lost meanwhile, and the lock with it. */
async function unlock(session: Session): Promise<void> {
  await session.query({ text: 'select pg_advisory_unlock($1, $2)', values: TRIAL });
}

/** Waits for `promise` until `signal` aborts. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
