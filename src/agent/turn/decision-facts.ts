import { AGENT_RUN } from '#domain/delegation/delegation.ts';
import type { Item } from '#domain/thread/item.ts';
import { pendingAfter } from '#domain/thread/pending-calls.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { callOf } from '#domain/thread/turn-event.ts';
import { WEB_FETCH } from '#domain/tool/reserved-names.ts';
import { workspaceOfTurn } from '#domain/workspace/version.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import { identityFor } from '#memory/identity.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { listArgumentsInTree } from '#store/delegations/tree.ts';
import type { ToolSet } from '#tools/tool.ts';
import type { DecisionFacts } from '../gates/gates.ts';
import { raiseLevelOf } from '../gates/raise-level-of.ts';
import { openedWith, readBefore } from '../gates/read-so-far.ts';
import type { HistoryWindow } from '../prompt/history-window.ts';
import { foreignInstructions } from '../prompt/project-block.ts';
import { toolTexts } from '../prompt/prompt-setting.ts';
import type { AttemptItems } from './attempt-items.ts';
import type { Safety } from './safety.ts';

type Parts = {
  readonly db: Database;
  readonly turn: Turn;
  readonly run: Pick<TurnRun, 'isHistoryCut' | 'setting'>;
  readonly items: Pick<AttemptItems, 'thread'>;
  readonly safety: Pick<Safety, 'flagsOfCall'>;
  readonly window: Pick<HistoryWindow, 'summary'>;
};

/** What the decision on a call depends on: the turn, the tools that it offers now, and what the model has read. */
export function decisionFacts({ db, turn, run, items, safety, window }: Parts, tools: ToolSet): DecisionFacts {
  const history = items.thread;
  const instructions = foreignInstructions(run.setting, turn.userId);
  return {
    db,
    owner: turn,
    tools,
    workspace: workspaceOfTurn(turn),
    threadId: turn.threadId,
    run: turn.run ?? turn.id,
    mission: turn.request.mission?.id,
    openedInTree: hasTree(turn, history) ? () => openedInTree(db, turn) : undefined,
    readBefore: (call) =>
      readBefore(call.id, {
        history,
        tools,
        summary: window.summary(),
        isCut: run.isHistoryCut(),
        instructions,
        above: turn.request.above,
      }),
    callsAfter: (call) => pendingAfter(call.id, history).map(callOf),
    started: false,
    raise: async (tool, call, level) => {
      const flags = await safety.flagsOfCall(turn, call.arguments);
      const alsoRead = [
        window.summary()?.text ?? '',
        identityFor(turn, run.setting.notes).user ?? '',
        instructions ?? '',
        ...toolTexts(tools),
      ];
      return raiseLevelOf(tool, call, level, { history, tools, alsoRead, flags, userId: turn.userId });
    },
  };
}

/** A turn that has started its first children does not know of its tree yet, but its history has their calls. */
const hasTree = (turn: Turn, history: readonly Item[]): boolean =>
  Boolean(turn.tree) || history.some((item) => item.type === 'function_call' && item.name === AGENT_RUN);

/** Those of the run itself are in its history, and those of the runs above were handed to it. */
async function openedInTree(db: Database, turn: Turn): Promise<string[]> {
  const run = turn.run ?? turn.id;
  const others = { tree: turn.tree ?? run, besides: run, tool: WEB_FETCH };
  const calls = await withOwner(db, turn, (trx) => listArgumentsInTree(trx, turn, others));
  return calls.flatMap((given) => openedWith(given) ?? []);
}
