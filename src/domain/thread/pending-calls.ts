import type { ItemId } from '../ids.ts';
import type { FunctionCallItem, Item } from './item.ts';

/**
 * The calls without an output, in the model's order. Calls are always answered before the model is asked again, so only calls of
 * its latest answer can be pending.
 */
export function pendingCalls(history: readonly Item[]): FunctionCallItem[] {
  const since = history.findLastIndex((item) => item.type === 'message' && SPEAKERS.has(item.role));
  const latest = history.slice(since + 1);
  const outputs = latest.flatMap((item) => (item.type === 'function_call_output' ? item.callId : []));
  return latest.filter((item): item is FunctionCallItem => {
    if (item.type !== 'function_call') return false;
    const answer = outputs.indexOf(item.callId); // the first output answers the first call of that id
    if (answer >= 0) outputs.splice(answer, 1);
    return answer < 0;
  });
}

/** The pending calls of the same answer that come after this one. */
export function pendingAfter(id: ItemId, history: readonly Item[]): FunctionCallItem[] {
  const pending = pendingCalls(history);
  return pending.slice(pending.findIndex((call) => call.id === id) + 1).filter((call) => call.id !== id);
}

const SPEAKERS = new Set(['assistant', 'user']);

/** Whether the last item that this turn itself made is its reply. */
export function isAnswered(turnSeq: number, history: readonly Item[]): boolean {
  const last = history.at(-1);
  return last?.turnSeq === turnSeq && last.attempt !== null && last.type === 'message' && last.role === 'assistant';
}
