import { addUsage, tokensOf } from '#domain/usage.ts';
import { type EndedRun, endRuns, findEndedRuns, type RunEnd } from '#store/system/occurrences.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { isSilent } from '../work/no-result.ts';

const BATCH = 200;

/**
 * Gives each started occurrence the outcome of its run, which is that of the run's newest turn. Looking at the turns finds every end,
 * no matter which process or command caused it, so a crash leaves nothing to repair.
 */
export async function followRuns(system: SystemConnection): Promise<void> {
  for (;;) {
    const ended = await findEndedRuns(system, BATCH);
    if (ended.length > 0) await endRuns(system, ended.map(endOf));
    if (ended.length < BATCH) return;
  }
}

function endOf(ended: EndedRun): RunEnd {
  const { missionId, slot, turnId, lastTurnId } = ended;
  const usage = ended.usages?.reduce(addUsage) ?? null;
  const costUsd = usage?.cost ? usage.cost.inputUsd + usage.cost.outputUsd : null;
  const run = { missionId, slot, turnId, lastTurnId, tokens: usage ? tokensOf(usage) : 0, costUsd };
  return ended.isOver ? { ...run, ...outcomeOf(ended) } : { ...run, state: 'started', reason: null };
}

function outcomeOf({
  status,
  failure,
  lastItem,
}: Extract<EndedRun, { isOver: true }>): Pick<RunEnd, 'state' | 'reason'> {
  switch (status) {
    case 'completed':
      return { state: 'completed', reason: isSilent(lastItem) ? 'no_result' : null };
    case 'incomplete':
      return { state: 'completed', reason: 'incomplete' };
    case 'failed':
      return { state: 'failed', reason: failure?.code ?? 'internal_error' };
    case 'cancelled':
      return { state: 'cancelled', reason: 'cancelled' };
    case 'waiting': // another message of the thread took the place of the answer
      return { state: 'cancelled', reason: 'superseded' };
    case null:
      return { state: 'cancelled', reason: 'deleted' };
  }
}
