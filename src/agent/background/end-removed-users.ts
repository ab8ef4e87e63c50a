import type { UserId } from '#domain/principal.ts';
import { eachAlone } from '#engine/each-alone.ts';
import type { Engine } from '#engine/engine.ts';
import { repeat } from '#engine/repeat.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { listActiveTurns } from '#store/threads/turns.ts';
import { cancelTurn } from '../input/cancel-turn.ts';

/** How often the leader polls while a removed user may still have something going. */
const POLL_AGAIN_MS = 500;
/** How often to poll without a signal. */
const POLL_EVERY_MS = 20_000;

export type RemovedUsersParts = {
  readonly db: Database;
  readonly engine: Engine;
  /** Users who were removed within the last minute, on any replica or by a command. */
  readonly findRemoved: () => Promise<UserId[]>;
  /** Called once for each of them. */
  readonly onRemoved: (userId: UserId) => void;
  readonly onError: (error: unknown) => void;
};

/**
 * Ends what removed users still have going: their turns, and with these the streams that follow them. One replica does so
 * for all. A turn that was accepted while its user was being removed is found by a later poll.
 */
export function startEndingRemovedUsers({ db, engine, findRemoved, onRemoved, onError }: RemovedUsersParts) {
  let known = new Set<UserId>();

  async function poll(): Promise<void> {
    const removed = await findRemoved();
    for (const userId of removed) if (!known.has(userId)) onRemoved(userId);
    known = new Set(removed);
    if (engine.isLeader()) await eachAlone(removed, (userId) => cancelTurnsOf(db, engine, userId));
  }

  const polling = repeat(() => (known.size > 0 && engine.isLeader() ? POLL_AGAIN_MS : POLL_EVERY_MS), poll, onError);
  engine.followRemovals(polling.runNow);
  return polling;
}

/** Cancels every queued and running turn of a user. */
export async function cancelTurnsOf(db: Database, engine: Engine, userId: UserId): Promise<void> {
  const owner = { userId, role: 'member' } as const;
  const turns = await withOwner(db, owner, (trx) => listActiveTurns(trx, owner));
  await Promise.all(turns.map((ids) => cancelTurn(db, engine, owner, ids, 'cancelled')));
}
