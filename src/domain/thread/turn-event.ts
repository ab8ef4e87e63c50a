import type { FailureDetails } from '../failure/failure-details.ts';
import type { ItemId, TurnId } from '../ids.ts';
import type { GatedCall, NewGate } from '../tool/gate.ts';
import type { Usage } from '../usage.ts';
import { type Item, type NewItem, text, textOf } from './item.ts';
import type { EndedStatus, Failure } from './turn.ts';

/** The events that watchers of a turn receive. */
export type TurnEvent =
  /**
   * A message is added empty and filled by deltas; everything else is added whole. `earlier`: an earlier attempt has made the
   * item, and the log did not say so. Its readers may have seen it.
   */
  | { readonly type: 'item-added'; readonly item: NewItem; readonly earlier?: true }
  | { readonly type: 'text-delta'; readonly itemId: ItemId; readonly delta: string }
  /** `written`: the item is stored. A message that a crash cut off is done too, but never stored. */
  | { readonly type: 'item-done'; readonly item: NewItem; readonly written: boolean }
  | ({ readonly type: 'model-failed' } & ModelTrouble)
  /** How far a call is that still runs, as its tool says. */
  | ({ readonly type: 'tool-progress'; readonly itemId: ItemId } & ToolProgress)
  | ({ readonly type: 'turn-ended' } & TurnEnding);

export type ToolProgress = {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
};

/** A model failed before its first text. The turn continues: `next`, the same or another model, is asked after a wait. */
export type ModelTrouble = {
  readonly model: string;
  readonly message: string;
  readonly details?: FailureDetails;
  /** Which try of the same model comes next, and the most there are; absent before another model is asked. */
  readonly tries?: { readonly next: number; readonly most: number };
  readonly next: string;
  readonly waitMs: number;
  /** ISO 8601 */
  readonly failedAt: string;
};

/** How a turn ended: all that a reply needs besides its items. */
export type TurnEnding = {
  readonly status: EndedStatus;
  readonly failure: Failure | null;
  readonly gate: NewGate | null;
  /** The turn of the message that steered it. */
  readonly steeredBy?: TurnId;
  readonly usage: Usage;
  /** ISO 8601: an event may come from a log. */
  readonly endedAt: string;
};

/** Sequence numbers grow within an attempt. Each attempt has its range, so no number is used twice. */
export type NumberedEvent = {
  readonly sequence: number;
  readonly event: TurnEvent;
  /**
   * A part of the log before this event is lost. `made`: so is the event, and this is made from what is stored. `possible`:
   * that is so if a reader comes back with a number that is not in the log.
   */
  readonly loss?: 'before' | 'made' | 'possible';
};

const NUMBERS_PER_ATTEMPT = 1_000_000;

export const firstSequence = (attempt: number) => attempt * NUMBERS_PER_ATTEMPT;
export const attemptOf = (sequence: number) => Math.floor(sequence / NUMBERS_PER_ATTEMPT);

/** Whether events between these two numbers are missing. Each attempt starts at its own number. */
export const isGap = (last: number, sequence: number): boolean =>
  sequence > Math.max(last + 1, firstSequence(attemptOf(sequence)));

/** The events of one complete item. */
export function eventsOf(item: NewItem): TurnEvent[] {
  if (item.type !== 'message')
    return [
      { type: 'item-added', item },
      { type: 'item-done', item, written: true },
    ];
  const said = textOf(item.content);
  return [
    { type: 'item-added', item: emptied(item) },
    ...(said ? [{ type: 'text-delta' as const, itemId: item.id, delta: said }] : []),
    { type: 'item-done', item, written: true },
  ];
}

export function emptied(item: NewItem): NewItem {
  return item.type === 'message' ? { ...item, content: [] } : item;
}

/**
 * What watchers who saw `seen` still need so that they know all of `items`, which are the ones the turn has made.
 * A message that was started and never written is closed as incomplete: text is never rewritten or repeated.
 */
export function missingEvents(seen: readonly TurnEvent[], items: readonly Item[]): TurnEvent[] {
  const open = new Map<ItemId, { item: NewItem; said: string }>();
  const done = new Set<ItemId>();
  for (const event of seen) {
    if (event.type === 'item-added') open.set(event.item.id, { item: event.item, said: '' });
    if (event.type === 'text-delta') {
      const begun = open.get(event.itemId);
      if (begun) begun.said += event.delta;
    }
    if (event.type === 'item-done') {
      open.delete(event.item.id);
      done.add(event.item.id);
    }
  }

  const written = new Set(items.map((item) => item.id));
  const abandoned = [...open.values()].filter(({ item }) => !written.has(item.id)).map(abandon);
  const rest = items
    .filter((item) => !done.has(item.id))
    .map(contentOf)
    .flatMap((item) => finish(item, open.get(item.id)?.said));
  return [...abandoned, ...rest];
}

function abandon({ item, said }: { item: NewItem; said: string }): TurnEvent {
  return {
    type: 'item-done',
    item: item.type === 'message' ? { ...item, content: [text(said)], status: 'incomplete' } : item,
    written: false,
  };
}

function finish(item: NewItem, said: string | undefined): TurnEvent[] {
  const all = eventsOf(item);
  if (said === undefined) return all;
  const rest = item.type === 'message' ? textOf(item.content).slice(said.length) : '';
  return [...(rest ? [{ type: 'text-delta' as const, itemId: item.id, delta: rest }] : []), ...all.slice(-1)];
}

/** A call without its position in the thread. */
export function callOf(item: GatedCall): GatedCall {
  const { id, type, callId, name, namespace, arguments: json, external, blocked } = item;
  const inNamespace = namespace !== undefined && { namespace };
  return { id, type, callId, name, ...inNamespace, arguments: json, external, ...(blocked && { blocked }) };
}

/** An item without its position in the thread, as events carry it. */
export function contentOf(item: Item): NewItem {
  switch (item.type) {
    case 'message':
      return {
        id: item.id,
        type: item.type,
        role: item.role,
        content: item.content,
        status: item.status,
        ...(item.author && { author: item.author }),
        ...(item.reads && { reads: item.reads }),
        ...(item.vouched && { vouched: item.vouched }),
        ...(item.phase && { phase: item.phase }),
        ...(item.reasoning && { reasoning: item.reasoning }),
        ...(item.citations && { citations: item.citations }),
      };
    case 'function_call':
      return { ...callOf(item), ...(item.reasoning && { reasoning: item.reasoning }) };
    case 'function_call_output':
      return {
        id: item.id,
        type: item.type,
        callId: item.callId,
        output: item.output,
        ...(item.reads && { reads: item.reads }),
        ...(item.ran && { ran: item.ran }),
        ...(item.allowedBy && { allowedBy: item.allowedBy }),
        ...(item.decided && { decided: item.decided }),
        ...(item.vouched && { vouched: item.vouched }),
      };
    case 'compaction':
      return {
        id: item.id,
        type: item.type,
        summary: item.summary,
        sealed: item.sealed,
        ...(item.reads && { reads: item.reads }),
      };
  }
}
