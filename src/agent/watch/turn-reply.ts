import { withSourceList } from '#domain/search/cited-text.ts';
import { type NewItem, textOf } from '#domain/thread/item.ts';
import type { Turn, TurnRecord } from '#domain/thread/turn.ts';
import { contentOf, type TurnEvent } from '#domain/thread/turn-event.ts';
import type { NewGate } from '#domain/tool/gate.ts';

/** A turn as its caller sees it: its items so far, the gate it ended at, and the turn that continued after that. */
export type TurnReply = Pick<TurnRecord, 'turn' | 'continuedBy'> & {
  readonly made: readonly NewItem[];
  readonly gate: NewGate | null;
};

export function replyOf({ turn, items, gate, continuedBy = null }: TurnRecord): TurnReply {
  return { turn, made: items.filter((item) => item.attempt !== null).map(contentOf), gate, continuedBy };
}

/** The reply after `event`, for a caller that has followed the turn from its first event. */
export function replyAfter(reply: TurnReply, event: TurnEvent): TurnReply {
  if (event.type === 'item-done') return event.written ? { ...reply, made: [...reply.made, event.item] } : reply;
  if (event.type !== 'turn-ended') return reply;
  const { status, failure, usage, gate, steeredBy = null, endedAt } = event;
  return { ...reply, gate, turn: { ...reply.turn, status, failure, usage, steeredBy, endedAt: new Date(endedAt) } };
}

/** All messages of the reply, as one text, each with a list of its sources. */
export function wordsOf({ made }: TurnReply): string {
  return made
    .flatMap((item) => (item.type === 'message' ? withSourceList(textOf(item.content), item.citations) : []))
    .join('\n\n');
}

/** The reply of a turn that was only accepted so far. */
export const noReplyYet = (turn: Turn): TurnReply => ({ turn, made: [], gate: null });
