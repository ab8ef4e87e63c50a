import { expect, test } from 'vitest';
import { type ItemId, newId } from '#domain/ids.ts';
import { firstSequence, type NumberedEvent } from '#domain/thread/turn-event.ts';
import { numberEvents } from './number-events.ts';

test('an attempt with more than a million pieces of text stays below the numbers of the next one, and loses no text', () => {
  const sent: NumberedEvent[] = [];
  const emit = numberEvents(2, (event) => void sent.push(event));
  const [itemId, pieces] = [newId<ItemId>(), 1_000_100];
  const item = { id: itemId, type: 'compaction', summary: '', sealed: '' } as const;
  for (let piece = 0; piece < pieces; piece++) emit({ type: 'text-delta', itemId, delta: 'x' });
  emit({ type: 'tool-progress', itemId, progress: 1, total: null, message: null });
  emit({ type: 'item-done', item, written: true });

  expect(sent.map(({ sequence }) => sequence)).toEqual(sent.map((_, index) => firstSequence(2) + index));
  expect(sent.at(-1)).toMatchObject({ event: { type: 'item-done' } });
  expect(sent.at(-1)?.sequence).toBeLessThan(firstSequence(3));
  const said = sent.reduce((length, { event }) => length + (event.type === 'text-delta' ? event.delta.length : 0), 0);
  expect(said).toBe(pieces);
});
