import type { NumberedEvent } from '#domain/thread/turn-event.ts';
import { isTerminal } from './is-terminal.ts';

type Numbered = {
  readonly type: string;
  readonly sequence_number: number;
  readonly item_id?: string;
  readonly item?: { readonly id: string };
};

/**
 * Lets the events through that a client has not seen, which comes back with the number of the last one that it has; the terminal
 * event always comes.
 *
 * The numbers of events are counted. If a part of the log is lost, fewer are counted than the client has seen, so it can't be said
 * which of those that follow it knows. It then gets the end of every item, which says the whole text and may come twice, and nothing
 * else of an item that it may have seen a part of: no text is ever repeated.
 */
export function createCatchUp<Event extends Numbered>(startingAfter: number) {
  const passedBy = new Set<string>(); // items of which something was not sent
  let last = startingAfter;
  let isCaughtUp = startingAfter < 0;
  let isUnsure = false;

  return function* catchUp(event: Event, loss?: NumberedEvent['loss']): Generator<Event> {
    if (loss && !isCaughtUp) isUnsure = true;
    const isNew = event.sequence_number > startingAfter;
    if (!isUnsure) {
      if (isNew || isTerminal(event)) yield event;
      isCaughtUp ||= isNew;
      return;
    }
    const item = itemOf(event);
    const isSure = isNew && loss !== 'made' && !passedBy.has(item);
    if (isSure || isTerminal(event) || event.type.endsWith('.done')) {
      last = Math.max(last + 1, event.sequence_number);
      yield { ...event, sequence_number: last };
    } else passedBy.add(item);
  };
}

const itemOf = ({ item_id: id, item }: Numbered): string => id ?? item?.id ?? '';
