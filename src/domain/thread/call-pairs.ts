import type { ItemId } from '../ids.ts';
import type { FunctionCallBody, FunctionCallOutputBody, Item } from './item.ts';

type CallItem = Pick<Item, 'id' | 'turnSeq'> &
  (Pick<FunctionCallBody, 'type' | 'callId'> | Pick<FunctionCallOutputBody, 'type' | 'callId'>);

export type OtherHalf = { readonly id: ItemId; readonly turnSeq: number };

/**
 * The items of other turns that lose their other half when the turn at `seq` is deleted: a call without its output, or an output
 * without its call. `isWaiting`: the turn waits at the thread's open gate, so calls before it that have no output go too.
 * `items` are the calls and outputs of the thread, in order.
 */
export function otherHalves(items: readonly CallItem[], seq: number, isWaiting: boolean): OtherHalf[] {
  const pending = new Map<string, CallItem[]>();
  const halves: OtherHalf[] = [];
  for (const item of items) {
    if (item.type === 'function_call') {
      pending.set(item.callId, [...(pending.get(item.callId) ?? []), item]);
      continue;
    }
    const call = pending.get(item.callId)?.shift(); // the first output answers the first call of that id
    if (!call || (call.turnSeq === seq) === (item.turnSeq === seq)) continue;
    halves.push(call.turnSeq === seq ? item : call);
  }
  const unanswered = isWaiting ? [...pending.values()].flat().filter(({ turnSeq }) => turnSeq < seq) : [];
  return [...halves, ...unanswered].map(({ id, turnSeq }) => ({ id, turnSeq }));
}
