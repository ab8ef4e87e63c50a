import { pendingAfter } from '#domain/thread/pending-calls.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { callOf } from '#domain/thread/turn-event.ts';
import { workspaceOfTurn } from '#domain/workspace/version.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import { identityFor } from '#memory/identity.ts';
import type { Database } from '#store/connection.ts';
import type { ToolSet } from '#tools/tool.ts';
import type { DecisionFacts } from '../gates/gates.ts';
import { raiseLevelOf } from '../gates/raise-level-of.ts';
import { readBefore } from '../gates/read-so-far.ts';
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
