import { setTimeout as sleep } from 'node:timers/promises';
import type { Turn } from '#domain/turn.ts';
import type { EnginePool } from './engine-connection.ts';

/** The one lock for which all suspects of all replicas wait. */
const TRIAL = [8248, 0];
const TRY_AGAIN_MS = 250;
/** An innocent turn may take an hour; a guilty one has killed its host long before this. */
const LONGEST_MS = 60_000;

/**
 * Lets a turn whose hosts have died under it twice run while no other such turn runs anywhere. Whoever's host dies
 * now was guilty, and its neighbours are spared. Resolves when the trial has begun, to what ends it.
 */
export async function beginTrial(pool: EnginePool, turn: Turn, signal: AbortSignal): Promise<() => void> {
  const client = await pool.connect();
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    clearTimeout(longest);
    client.query('select pg_advisory_unlock($1, $2)', TRIAL).then(
      () => client.release(),
      () => client.release(true), // the lock went with the connection
    );
  };
  const longest = setTimeout(end, LONGEST_MS);
  try {
    for (;;) {
      const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', TRIAL);
      if (rows[0]?.locked) break;
      longest.refresh();
      await sleep(TRY_AGAIN_MS, undefined, { signal });
    }
    await client.query(`update turns set trial = attempt where id = $1 and attempt = $2 and status = 'running'`, [
      turn.id,
      turn.attempt,
    ]);
    return end;
  } catch (error) {
    end();
    throw error;
  }
}
