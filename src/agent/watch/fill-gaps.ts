import type { ItemId } from '#domain/ids.ts';
import { textOf } from '#domain/thread/item.ts';
import {
  attemptOf,
  emptied,
  firstSequence,
  isGap,
  type NumberedEvent,
  type TurnEvent,
} from '#domain/thread/turn-event.ts';

/**
 * The events of a turn from its first one on, without the holes that a crash of PostgreSQL leaves in the log. Text that was lost
 * arrives with the end of its item, under numbers that were lost too; until then later text of that item is held back, so that no
 * reader ever sees words in the wrong order. An item whose end was lost is not ended here; `onGap` is called when that is possible.
 *
 * After such a crash, an attempt repeats the events of earlier ones. A client that has seen an item gets only the rest of it.
 */
export async function* fillGaps(
  events: AsyncIterable<NumberedEvent>,
  onGap: () => void = () => {},
): AsyncGenerator<NumberedEvent, void> {
  const said = new Map<ItemId, string>(); // text so far, of items that are not done
  const torn = new Set<ItemId>(); // items with missing text
  const done = new Set<ItemId>();
  const earlier = new Set<ItemId>(); // items that are repeated, and not done
  let next = 0;
  let known = -1;
  let hasGap = false;
  for await (const { sequence, event } of events) {
    if (isGap(known, sequence)) {
      for (const id of said.keys()) torn.add(id);
      hasGap = true;
      onGap();
    }
    known = sequence;
    next = Math.max(next, firstSequence(attemptOf(sequence)));

    const id = itemOf(event);
    if (id && done.has(id)) continue;
    if (event.type === 'item-added') {
      if (said.has(event.item.id)) {
        torn.add(event.item.id);
        continue;
      }
      said.set(event.item.id, '');
      if (event.earlier) earlier.add(event.item.id);
    }
    if (event.type === 'text-delta') {
      const before = said.get(event.itemId);
      if (before === undefined || torn.has(event.itemId)) continue;
      said.set(event.itemId, before + event.delta);
    }
    if (event.type === 'item-done') {
      const { item } = event;
      const before = said.get(item.id);
      if (before === undefined)
        yield { sequence: next++, event: { type: 'item-added', item: emptied(item) }, loss: 'made' };
      const rest = item.type === 'message' ? textOf(item.content).slice(before?.length ?? 0) : '';
      if (rest) yield { sequence: next++, event: { type: 'text-delta', itemId: item.id, delta: rest }, loss: 'made' };
      said.delete(item.id);
      torn.delete(item.id);
      earlier.delete(item.id);
      done.add(item.id);
    }
    next = sequence + 1;
    if (id && earlier.has(id)) yield { sequence, event, loss: hasGap ? 'made' : 'possible' };
    else yield { sequence, event, ...(hasGap && { loss: 'before' }) };
  }
}

/** The item that the event is a part of. A call comes as a whole, and its progress afterwards. */
function itemOf(event: TurnEvent): ItemId | undefined {
  if (event.type === 'text-delta') return event.itemId;
  return event.type === 'item-added' || event.type === 'item-done' ? event.item.id : undefined;
}
