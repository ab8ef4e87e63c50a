import { Conflict, NotFound } from '#domain/errors.ts';
import { eachAlone } from '#engine/each-alone.ts';
import type { Engine } from '#engine/engine.ts';
import type { Database } from '#store/connection.ts';
import { findUndelivered } from '#store/system/unstored-turns.ts';
import { deleteEndedTurn } from '../input/delete-turn.ts';

const POLL_EVERY_MS = 60_000;

/** Deletes turns that are not to be stored and whose caller never fetched the reply: an hour after their end. */
export function startDeletingUndelivered(db: Database, engine: Engine, pollEveryMs = POLL_EVERY_MS) {
  return engine.startLeaderTask('undelivered_responses', pollEveryMs, () => deleteUndelivered(db, engine));
}

async function deleteUndelivered(db: Database, engine: Engine): Promise<void> {
  await eachAlone(await findUndelivered(engine.system), async ({ userId, ...ids }) => {
    try {
      await deleteEndedTurn(db, engine, { userId }, ids);
    } catch (error) {
      // Another replica was faster, or a turn that continues this one still runs.
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  });
}
