import { NotFound } from '#domain/errors.ts';
import { WEBHOOK } from '#domain/thread/job.ts';
import { eachAlone } from '#engine/each-alone.ts';
import type { Engine } from '#engine/engine.ts';
import type { Database } from '#store/connection.ts';
import { findOverdueGates } from '#store/system/gates.ts';
import { answerGate, type CountApproval } from './answer-gate.ts';

const POLL_EVERY_MS = 60_000;

/** Denies gates of webhook users and missions that are not answered within a day, so that their jobs and runs end. */
export function startDenyingOverdueGates(
  db: Database,
  engine: Engine,
  count: CountApproval,
  pollEveryMs = POLL_EVERY_MS,
) {
  return engine.startLeaderTask('overdue_gates', pollEveryMs, () => denyOverdueGates(db, engine, count));
}

async function denyOverdueGates(db: Database, engine: Engine, count: CountApproval): Promise<void> {
  await eachAlone(await findOverdueGates(engine.system), async ({ id, userId }) => {
    try {
      await answerGate(db, engine, { userId }, id, {
        answer: { kind: 'overdue' },
        by: WEBHOOK,
        channel: 'webhook',
        count,
      });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error; // it was answered meanwhile
    }
  });
}
