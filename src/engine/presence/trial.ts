import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { ReplicaId } from '#domain/ids.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { connectEngineClient, type EnginePool } from '../engine-connection.ts';

/** The single lock that all suspects of all replicas wait for. */
const TRIAL = [8248, 0];
const TRY_AGAIN_MS = 250;
/** An innocent turn may take an hour; one that kills its host does so long before this. */
const LONGEST_MS = 60_000;

/**
 * Turns whose hosts died under them twice run one at a time in the whole cluster. If the host dies again, the turn is
 * the cause, and no other suspect is affected. The suspects of one replica queue here; only the first of them waits for
 * the cluster's lock, on a connection that nothing else uses.
 */
export function createTrials(options: {
  connection: pg.PoolConfig;
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
      const client = await connectEngineClient(options.connection, options.onError);
      void over.promise.then(() => client.end()).catch(options.onError); // the lock ends with its connection
      await lock(client, signal);
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

async function lock(client: pg.Client, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', TRIAL);
    if (rows[0]?.locked) return;
    await sleep(TRY_AGAIN_MS, undefined, { signal });
  }
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
