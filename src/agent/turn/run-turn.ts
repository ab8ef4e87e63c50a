import type { FunctionCallItem, Item } from '#domain/thread/item.ts';
import { pendingCalls } from '#domain/thread/pending-calls.ts';
import { refusalAt, type TurnOutcome } from '#domain/thread/turn.ts';
import type { NewGate } from '#domain/tool/gate.ts';
import type { Parked } from '#engine/running/turn-run.ts';
import type { CallDecision } from '../gates/gates.ts';

/** The steps of a turn. A step that writes resolves after the fenced write has committed. */
export type TurnSteps = {
  loadHistory(): Promise<Item[]>;
  /** Whether the turn has its reply, or has ended itself without one. */
  isAnswered(history: readonly Item[]): boolean;
  /** An open gate of an earlier turn. Messages wait behind it; only a replica of the version before starts one. */
  readonly gateAhead: Pick<NewGate, 'kind' | 'call'> | null;
  askModel(history: readonly Item[]): Promise<Item[]>;
  decide(call: FunctionCallItem): Promise<CallDecision>;
  /** Whether a message waits that is to be read before the next step. */
  readonly isSteered: () => boolean;
  callTool(call: FunctionCallItem, decision: Exclude<CallDecision, { kind: 'gate' }>): Promise<Item[]>;
  /** Whether the call has started a child, whose report is its output. */
  isDelegated(call: FunctionCallItem): boolean;
  /** Writes the reports of children that have ended. */
  takeReports(): Promise<Item[]>;
};

const MAX_ROUNDS = 50;

/**
 * One turn: ask the model, run the tool it wants, ask again.
 * A turn never sleeps. It ends at a gate; answering the gate starts the next turn. It also ends when a message steers it, which is
 * the next turn then. Calls that have started children are left to them; when nothing else is to be done, the turn is parked.
 */
export async function runTurn(steps: TurnSteps): Promise<TurnOutcome | Parked['outcome']> {
  if (steps.gateAhead) return { status: 'failed', failure: refusalAt(steps.gateAhead), refused: true };

  const history = await steps.loadHistory();
  for (let round = 0; !steps.isAnswered(history); ) {
    if (steps.isSteered()) return STEERED;
    const pending = pendingCalls(history);
    const call = nextCall(pending, steps);
    if (!call && pending.length > 0) {
      const reports = await steps.takeReports();
      if (reports.length === 0) return { status: 'parked' };
      history.push(...reports);
      continue;
    }
    if (!call) {
      if (round++ === MAX_ROUNDS) return { status: 'failed', failure: TOO_MANY_ROUNDS };
      history.push(...(await steps.askModel(history)));
      continue;
    }
    const decision = await steps.decide(call);
    if (decision.kind === 'gate') return { status: 'waiting', gate: decision.gate };

    history.push(...(await steps.callTool(call, decision)));
  }
  return { status: isCutShort(history) ? 'incomplete' : 'completed' };
}

/** A caller's call waits for the reports of all children: its output begins another run, which does not get them. */
function nextCall(pending: readonly FunctionCallItem[], steps: TurnSteps): FunctionCallItem | undefined {
  const next = pending.find((call) => !steps.isDelegated(call));
  return next?.external && pending.some((call) => steps.isDelegated(call)) ? undefined : next;
}

export const STEERED = { status: 'incomplete', steered: true } as const;

const TOO_MANY_ROUNDS = {
  code: 'max_rounds',
  message: `The model asked for tools ${MAX_ROUNDS} times without an answer. Ask for less at once.`,
} as const;

function isCutShort(history: readonly Item[]): boolean {
  const last = history.at(-1);
  return last?.type === 'message' && last.status === 'incomplete';
}
