import type { FunctionCallItem } from '#domain/item.ts';
import type { Turn } from '#domain/turn.ts';
import type { ToolSet } from '#tools/registry.ts';
import { BLOCKED_OUTPUT, isBlockedCall } from './safety.ts';

/** An offered tool could not be run at all; what a tool itself complains about is its output instead. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

/** Runs a call and resolves to what the model shall read of it. A side effect is never repeated blindly. */
export async function callTool(
  call: FunctionCallItem,
  options: { turn: Turn; tools: ToolSet; signal: AbortSignal; found: boolean },
): Promise<string> {
  const { turn, tools, signal } = options;
  if (isBlockedCall(call)) return BLOCKED_OUTPUT;
  const tool = tools.find(call.name);
  if (!tool) return `There is no tool named "${call.name}". Use only the tools you were given.`;
  if (options.found && !tool.repeatable) return 'interrupted: the outcome is unknown';

  try {
    return await tool.call(call.arguments, { owner: turn, idempotencyKey: `${call.turnId}:${call.position}`, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ToolFailure(`The tool ${call.name} could not be run.`, { cause: error });
  }
}
