import { NotFound } from '#domain/errors.ts';
import { eachAlone } from '#engine/each-alone.ts';
import type { Engine } from '#engine/engine.ts';
import type { Database } from '#store/connection.ts';
import { findOverdueTurns } from '#store/system/overdue-turns.ts';
import { cancelTurn } from '../input/cancel-turn.ts';

const POLL_EVERY_MS = 5000;

/** Ends turns that are still queued at their deadline and whose caller has gone. */
export function startEndingOverdueTurns(db: Database, engine: Engine, pollEveryMs = POLL_EVERY_MS) {
  return engine.startLeaderTask('overdue_turns', pollEveryMs, async () =>
    eachAlone(await findOverdueTurns(engine.system), ({ userId, ...ids }) =>
      cancelTurn(db, engine, { userId, role: 'member' }, ids, 'turn_timeout').catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error; // it was deleted meanwhile
      }),
    ),
  );
}
