import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { EnginePool } from './engine-connection.ts';
import type { ThreadChanges } from './events/thread-changes.ts';
import type { Places } from './places.ts';
import type { RunningTurns } from './running/running-turns.ts';
import { claimTurns } from './statements/claim.ts';
import { readClaimedTurns } from './statements/turn-context.ts';
import { type RetryPolicy, withRetries } from './with-retries.ts';

export type ClaimDeps = {
  readonly pool: EnginePool;
  readonly replica: ReplicaId;
  readonly retryPolicy: RetryPolicy;
  readonly places: Places;
  readonly running: Pick<RunningTurns, 'begin'>;
  readonly changes: Pick<ThreadChanges, 'notify'>;
};

/** Claims up to `count` turns that wait, and these orphans, and runs them here. Resolves to the number of turns. */
export function claim(deps: ClaimDeps, count: number, orphans: readonly TurnId[] = []): Promise<number> {
  const { pool, replica, places } = deps;
  return places.claim(count, async (slots) => {
    const shares = places.shares();
    const send = () => claimTurns(pool, replica, slots, shares, orphans);
    const ids = await withRetries(deps.retryPolicy, { forMs: 0 }, send);
    await beginClaimed(deps, ids);
    return ids.length;
  });
}

/** Runs turns that are claimed. Those that can't be read now are found as orphans soon. */
export async function beginClaimed(
  { pool, replica, running, changes }: Pick<ClaimDeps, 'pool' | 'replica' | 'running' | 'changes'>,
  ids: readonly TurnId[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const claimed of await readClaimedTurns(pool, replica, ids)) {
    running.begin(claimed);
    changes.notify(claimed.turn); // it waits no longer
  }
}
