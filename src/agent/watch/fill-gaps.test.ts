import { expect, test } from 'vitest';
import type { ItemId } from '#domain/ids.ts';
import { firstSequence, type NumberedEvent } from '#domain/thread/turn-event.ts';
import { eventsOfMessage, numbered } from '../../../test/support/turn-events.ts';
import { fillGaps } from './fill-gaps.ts';

const whole = numbered(eventsOfMessage('m', 'one two three'));

async function* from(events: readonly NumberedEvent[]) {
  yield* events;
}
const filled = (events: readonly NumberedEvent[]) => Array.fromAsync(fillGaps(from(events)));
const said = (events: readonly NumberedEvent[]) =>
  events.map(({ event }) => (event.type === 'text-delta' ? event.delta : '')).join('');

test('a whole log is passed on as it is', async () => {
  expect(await filled(whole)).toEqual(whole);
});

test.each(
  Array.from(
    { length: 2 ** 4 - 1 },
    (_, lost) => [whole.filter(({ sequence }) => sequence === 4 || !((lost + 1) & (1 << sequence)))] as const,
  ),
)(
  'if events before the end of an item are missing, its text still arrives complete, once and in order',
  async (left) => {
    const events = await filled(left);

    expect(said(events)).toBe('one two three');
    expect(events.filter(({ event }) => event.type === 'item-added')).toHaveLength(1);
    const numbers = events.map(({ sequence }) => sequence);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  },
);

test('a new attempt has its own numbers, which are not a gap', async () => {
  const second = numbered(eventsOfMessage('m', 'one two three'), firstSequence(1));

  expect(await filled(second)).toEqual(second);
});

test('the progress of a call comes after its end, and is passed on', async () => {
  const call = { id: 'c', type: 'function_call', callId: 'c', name: 'x', arguments: '{}', external: false } as const;
  const item = { ...call, id: call.id as ItemId };
  const events = numbered([
    { type: 'item-added', item },
    { type: 'item-done', item, written: true },
    { type: 'tool-progress', itemId: item.id, progress: 1, total: 2, message: null },
  ]);

  expect(await filled(events)).toEqual(events);
});
