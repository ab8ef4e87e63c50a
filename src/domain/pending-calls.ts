import type { FunctionCallItem, Item } from './item.ts';

/** The first call that has no output yet; calls are taken in the order in which the model made them. */
export function nextPendingCall(history: readonly Item[]): FunctionCallItem | undefined {
  return pendingCalls(history)[0];
}

/** Calls are always answered before the model is asked again, so only those of its latest answer can be pending. */
export function pendingCalls(history: readonly Item[]): FunctionCallItem[] {
  const answered = new Set<string>();
  const pending: FunctionCallItem[] = [];
  for (const item of history.toReversed()) {
    if (item.type === 'function_call_output') answered.add(item.callId);
    else if (item.type === 'function_call') {
      if (!answered.delete(item.callId)) pending.unshift(item);
    } else if (item.role === 'assistant' || item.role === 'user') break;
  }
  return pending;
}

/** Whether the last item that this turn itself made is its reply. */
export function isAnswered(turnSeq: number, history: readonly Item[]): boolean {
  const last = history.at(-1);
  return last?.turnSeq === turnSeq && last.attempt !== null && last.type === 'message' && last.role === 'assistant';
}
