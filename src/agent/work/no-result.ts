import { z } from 'zod';
import { type Item, type ItemBody, textOf } from '#domain/thread/item.ts';
import { pendingCalls } from '#domain/thread/pending-calls.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { jsonTool } from '#tools/builtin/json-tool.ts';
import { INERT, type Tool } from '#tools/tool.ts';

const NAME = 'mission_no_result';
const ENDED = { ended: true };

/** The tool that ends a run without a message. Only runs of missions have it. */
export const noResultTool: Tool = jsonTool({
  name: NAME,
  description:
    'Ends this scheduled run without a message to the user. Call it, alone and last, when there is nothing new to report.',
  parameters: z.strictObject({}),
  flow: INERT,
  act: async () => ENDED,
});

/** Whether the run of a mission has ended itself with `mission_no_result`. Calls that are pending run first. */
export function endsSilently(turn: Pick<Turn, 'seq' | 'request'>, history: readonly Item[]): boolean {
  const last = history.at(-1);
  if (!turn.request.mission || last?.type !== 'function_call_output' || last.turnSeq !== turn.seq) return false;
  const call = history.findLast((item) => item.type === 'function_call' && item.callId === last.callId);
  const isOf = call?.type === 'function_call' && call.name === NAME;
  return isOf && textOf(last.output) === JSON.stringify(ENDED) && pendingCalls(history).length === 0;
}

/** Whether a completed turn has said nothing, given its last item: the output of `mission_no_result`, or an empty message. */
export function isSilent(last: ItemBody | null): boolean {
  if (last?.type === 'message') return textOf(last.content).trim() === '';
  return last?.type === 'function_call_output';
}
