import { type BlockReason, blockReasonOf, type FunctionCallItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { OpenPassage } from '../gates/gates.ts';

/** An offered tool could not be run at all; what a tool itself complains about is its output instead. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

/** Runs a call and resolves to what the model shall read of it. A side effect is never repeated blindly. */
export async function callTool(
  call: FunctionCallItem,
  options: { turn: Turn; passage: Pick<OpenPassage, 'tool' | 'secretsOf'>; signal: AbortSignal },
): Promise<string> {
  const { turn, signal } = options;
  const { tool, secretsOf } = options.passage;
  const blocked = blockReasonOf(call);
  if (blocked) return BLOCKED_OUTPUTS[blocked];
  if (!tool) return `There is no tool named "${call.name}". Use only the tools you were given.`;
  if (isFound(call, turn) && !tool.repeatable) return 'interrupted: the outcome is unknown';

  try {
    const idempotencyKey = `${call.turnId}:${call.position}`;
    return await tool.call(call.arguments, { owner: turn, secretsOf, idempotencyKey, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ToolFailure(`The tool ${call.name} could not be run.`, { cause: error });
  }
}

const BLOCKED_OUTPUTS: Readonly<Record<BlockReason, string>> = {
  leak: 'Not run: the arguments held a stored secret. The host gives a tool the secrets it needs. Call the tool without the secret.',
};

/** Started by an attempt before this one, which did not live to see its output. Attempts are counted anew in each turn. */
function isFound(call: FunctionCallItem, turn: Turn): boolean {
  return call.startedAt !== null && (call.turnSeq !== turn.seq || call.attempt !== turn.attempt);
}
