import { expect, test } from 'vitest';
import type { ItemId } from '#domain/ids.ts';
import { type NewItem, text } from '#domain/thread/item.ts';
import type { NumberedEvent, TurnEvent } from '#domain/thread/turn-event.ts';
import { fillGaps } from './fill-gaps.ts';

const message = (words: string): NewItem => ({
  id: 'm' as ItemId,
  type: 'message',
  role: 'assistant',
  content: words ? [text(words)] : [],
  status: 'completed',
});
const added: TurnEvent = { type: 'item-added', item: message('') };
const delta = (words: string): TurnEvent => ({ type: 'text-delta', itemId: 'm' as ItemId, delta: words });
const done: TurnEvent = { type: 'item-done', item: message('one two three'), written: true };
const whole: NumberedEvent[] = [added, delta('one '), delta('two '), delta('three'), done].map((event, sequence) => ({
  sequence,
  event,
}));

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
  const second = whole.map(({ sequence, event }) => ({ sequence: sequence + 1_000_000, event }));

  expect(await filled(second)).toEqual(second);
});
