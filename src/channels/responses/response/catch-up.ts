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
 * The numbers of events are counted. If a part of the log is lost, fewer are counted than the client has seen, or none has the number
 * that the client names, so it is unclear which of the later events it knows. It then gets the end of every item, which says the
 * whole text and may come twice, and nothing else of an item that it may have seen a part of: no text is ever repeated. If fewer are
 * counted and nothing is lost, the client has read what was made for a log that was not written yet, and gets the end of every item,
 * too.
 */
export function createCatchUp<Event extends Numbered>(startingAfter: number) {
  const passedBy = new Set<string>(); // items of which something was not sent
  const ends: Event[] = []; // of items, which the client has seen if nothing is amiss
  let last = startingAfter;
  let previous = -1;
  let isCaughtUp = startingAfter < 0;
  let isUnsure = false;

  return function* catchUp(event: Event, loss?: NumberedEvent['loss']): Generator<Event> {
    const isNew = event.sequence_number > startingAfter;
    const isMissing = isNew && previous < startingAfter; // the event with the number that the client names
    if (!isCaughtUp && (isMissing || loss === 'before' || loss === 'made')) isUnsure = true;
    previous = event.sequence_number;
    if (isTerminal(event) && event.sequence_number < startingAfter) {
      isUnsure = true;
      for (const end of ends) yield { ...end, sequence_number: ++last };
    }
    const isEnd = event.type.endsWith('.done');
    if (!isUnsure) {
      isCaughtUp ||= isNew;
      if (isNew || isTerminal(event)) yield event;
      else if (isEnd) ends.push(event);
      else passedBy.add(itemOf(event));
      return;
    }
    const isSure = isNew && loss !== 'made' && loss !== 'possible' && !passedBy.has(itemOf(event));
    if (isSure || isTerminal(event) || isEnd) {
      last = Math.max(last + 1, event.sequence_number);
      yield { ...event, sequence_number: last };
    } else passedBy.add(itemOf(event));
  };
}

const itemOf = ({ item_id: id, item }: Numbered): string => id ?? item?.id ?? '';
