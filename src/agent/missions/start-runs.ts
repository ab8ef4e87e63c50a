import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { newId, type TurnIds } from '#domain/ids.ts';
import { keyPrefixOf } from '#domain/mission/mission.ts';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { wrapUntrusted } from '#domain/text/untrusted.ts';
import { text } from '#domain/thread/item.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import {
  type Cause,
  endUnstarted,
  findCause,
  markReplaced,
  markStarted,
  nameThread,
  type StartableRun,
  skipOccurrences,
  takeStartableRuns,
} from '#store/system/occurrences.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { answerGate } from '../gates/answer-gate.ts';
import { cancelTurn } from '../input/cancel-turn.ts';
import { startTurn, type TurnInput } from '../input/start-turn.ts';
import { limitOfRun } from '../spending/run-budget.ts';

/** A start that takes longer is tried again, by any replica. */
const LEASE_SECONDS = 15;

/** Starts the turns of due occurrences, as far as the limits allow. */
export async function startRuns(
  db: Database,
  engine: Engine,
  { startsPerPoll, runsPerUser }: { readonly startsPerPoll: number; readonly runsPerUser: number },
): Promise<void> {
  await skipOccurrences(engine.system);
  const limits = { limit: startsPerPoll, perUser: runsPerUser, leaseSeconds: LEASE_SECONDS };
  const runs = await takeStartableRuns(engine.system, limits);
  await Promise.all(runs.map((run) => startRun(db, engine, run)));
}

/**
 * Starts one turn, exactly once: the lasting key of the occurrence makes a repeated start return the turn of the first one, also
 * if the process died before it could mark the occurrence.
 */
async function startRun(db: Database, engine: Engine, run: StartableRun): Promise<void> {
  const { system } = engine;
  const owner: Principal = run.userId === OPERATOR.userId ? OPERATOR : { userId: run.userId, role: 'member' };
  if (run.runningTurnId && run.runningThreadId) {
    const ids = { threadId: run.runningThreadId, turnId: run.runningTurnId };
    await markReplaced(system, run.runningTurnId);
    return cancelRun(db, engine, owner, ids); // the occurrence starts when that turn has ended
  }
  const { tokensPerRun, usdPerRun } = limitsOf(run);
  if ((tokensPerRun ?? 1) <= 0 || (usdPerRun ?? 1) <= 0) return endUnstarted(system, run, 'skipped', 'budget');

  try {
    const cause = run.causeTurnId && (await findCause(system, run.causeTurnId));
    const message = run.causeTurnId ? `${run.instruction}\n\n${describeCause(cause || undefined)}` : run.instruction;
    const { turn } = await startInThread(db, engine, owner, { ...run, instruction: message });
    if (await nameThread(system, turn.threadId, run))
      engine.notifyThread({ threadId: turn.threadId, userId: run.userId });
    await markStarted(system, run, turn);
  } catch (error) {
    if (error instanceof InvalidRequest && error.param === 'assistant')
      return endUnstarted(system, run, 'failed', 'assistant_missing');
    if (!(error instanceof Conflict)) throw error;
    if (error.code === 'idempotency_mismatch') return endUnstarted(system, run, 'cancelled', 'deleted');
    return endUnstarted(system, run, 'failed', error.code);
  }
}

/** The texts are foreign to the mission: they say what happened, and give no orders. */
function describeCause(cause: Cause | undefined): string {
  if (!cause) return 'The turn whose end started this run is deleted.';
  const part = (name: string, words: string | null) => (words ? `\n\n${name}:\n${wrapUntrusted(words, 'turn')}` : '');
  return `A turn has ended: ${cause.status}.${part('Its message', cause.asked)}${part('Its answer', cause.said)}`;
}

/** Cancels a turn, or denies the call that it waits for. */
async function cancelRun(db: Database, engine: Engine, owner: Principal, ids: TurnIds): Promise<void> {
  try {
    const gate = await withOwner(db, owner, (trx) => findOpenGate(trx, owner, ids.threadId));
    if (gate?.turnId !== ids.turnId) return await cancelTurn(db, engine, owner, ids, 'cancelled');
    await answerGate(db, engine, owner, gate.id, { answer: { kind: 'overdue' }, by: owner, channel: 'mission' });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error; // it ended meanwhile
  }
}

/** A thread that was deleted is replaced by a new one. */
async function startInThread(db: Database, engine: Engine, owner: Principal, run: StartableRun) {
  const threadId = run.keepsThread ? run.threadId : null;
  try {
    return await startTurn(db, engine, owner, inputOf(run, threadId));
  } catch (error) {
    if (!(error instanceof NotFound) || !threadId) throw error;
    return startTurn(db, engine, owner, inputOf(run, null));
  }
}

/** A mission has one run at a time, so what is left of the day is known when the run starts. */
const limitsOf = (run: StartableRun) => ({
  tokensPerRun: limitOfRun(run.tokensPerRun, run.tokensPerDay, run.tokensToday),
  usdPerRun: limitOfRun(run.usdPerRun, run.usdPerDay, run.usdToday),
});

function inputOf(run: StartableRun, threadId: StartableRun['threadId']): TurnInput {
  const { missionId, slot, instruction, assistant, tools } = run;
  const key = keyPrefixOf(missionId) + slot.getTime();
  return {
    threadId: threadId ?? undefined,
    startsThread: threadId === null,
    unknownThread: 'not-found',
    channel: 'mission',
    items: [{ id: newId(), type: 'message', role: 'user', status: 'completed', content: [text(instruction)] }],
    request: { model: null, temperature: null, echo: {}, mission: { id: missionId, tools, ...limitsOf(run) } },
    assistant,
    tools: undefined,
    idempotency: { key, digest: key, isLasting: true },
  };
}
