import type { FunctionCallItem } from '#domain/thread/item.ts';
import { pendingAfter } from '#domain/thread/pending-calls.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { callOf } from '#domain/thread/turn-event.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { readWebUse } from '#store/spending/web-use.ts';
import type { ToolSet } from '#tools/tool.ts';
import { type CallDecision, type DecisionFacts, decideCall } from '../gates/gates.ts';
import type { AttemptItems } from './attempt-items.ts';

type Parts = {
  readonly db: Database;
  readonly turn: Turn;
  readonly items: Pick<AttemptItems, 'thread'>;
  readonly signal: AbortSignal;
  readonly currentTools: () => Promise<ToolSet>;
  readonly factsWith: (tools: ToolSet) => DecisionFacts;
};

/** How many calls after the one that runs are prepared. */
const AHEAD = 3;

/**
 * Calls run one after another, and their outputs are written in that order. Those of an answer that mostly wait, such as for pages,
 * are prepared together. Only calls that run without an approval are: they are judged by what was read before the answer, so the
 * output of the first one could not have stopped them.
 */
export function createLookAhead(parts: Parts): (call: FunctionCallItem, decision: CallDecision) => Promise<void> {
  const { db, turn, items, signal } = parts;
  const seen = new Set<string>();

  return async (call, decision) => {
    if (decision.kind !== 'allowed' || !decision.tool?.prepare) return;
    const next = pendingAfter(call.id, items.thread).slice(0, AHEAD);
    const unseen = next.filter(({ id, name }) => name === call.name && !seen.has(id));
    if (unseen.length === 0) return;
    const facts = parts.factsWith(await parts.currentTools());
    const webUse = () => withOwner(db, turn, (trx) => readWebUse(trx, turn, { ...turn, run: turn.run ?? turn.id }));
    for (const later of unseen) {
      seen.add(later.id);
      const decided = await decideCall(callOf(later), { ...facts, started: later.startedAt !== null });
      if (decided.kind !== 'allowed' || decided.approval) continue;
      const { tool, ownLinks } = decided;
      await tool?.prepare?.(later.arguments, { owner: turn, signal, ownLinks, webUse });
    }
  };
}
