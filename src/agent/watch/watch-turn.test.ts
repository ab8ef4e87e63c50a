import { expect, test } from 'vitest';
import type { Item } from '#domain/thread/item.ts';
import type { Turn, TurnRecord } from '#domain/thread/turn.ts';
import type { NumberedEvent, TurnEvent } from '#domain/thread/turn-event.ts';
import type { Engine } from '#engine/engine.ts';
import { eventsOfMessage, messageOf, numbered } from '../../../test/support/turn-events.ts';
import { watchTurn } from './watch-turn.ts';

const ended = { type: 'turn-ended', status: 'completed' } as unknown as TurnEvent;
const whole = numbered([...eventsOfMessage('m', 'one two'), ended]);

const turn = { id: 't', attempt: 0 } as unknown as Turn;
const stored = { ...messageOf('m', 'one two'), attempt: 0 } as unknown as Item;

/** The events that a reader gets when the log has only these, and how often the items were read. */
async function watch(log: readonly NumberedEvent[], after = -1) {
  let reads = 0;
  async function* logged() {
    yield* log.filter(({ sequence }) => sequence > after);
  }
  const getRecord = async (): Promise<TurnRecord> => {
    reads++;
    return { turn, items: [stored], gate: null };
  };
  const engine = { watch: logged } as unknown as Engine;
  const options = { after, fresh: false, onlyEnd: false, signal: new AbortController().signal, getRecord };
  return { events: await Array.fromAsync(watchTurn(engine, turn, options)), reads: () => reads };
}

test('a whole log is passed on as it is, and no item is read', async () => {
  const { events, reads } = await watch(whole);
  expect(events).toEqual(whole);
  expect(reads()).toBe(0);
});

test.each(
  Array.from(
    { length: 2 ** 4 - 1 },
    (_, lost) => [whole.filter(({ sequence }) => sequence === 4 || !((lost + 1) & (1 << sequence)))] as const,
  ),
)(
  'the text and the end of each item arrive once, even if a part of the log is lost before the end of the turn',
  async (left) => {
    const { events } = await watch(left);
    const types = events.map(({ event }) => event.type);
    const said = events.map(({ event }) => (event.type === 'text-delta' ? event.delta : '')).join('');
    expect(said).toBe('one two');
    expect(types.filter((type) => type === 'item-added')).toHaveLength(1);
    expect(types.filter((type) => type === 'item-done')).toHaveLength(1);
    expect(types.at(-1)).toBe('turn-ended');
    expect(types.indexOf('item-done')).toBe(types.length - 2);
    const numbers = events.map(({ sequence }) => sequence);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  },
);

test.each([0, 1, 2])('who comes back after event %i gets the end of an item, also if it was lost', async (after) => {
  const intact = await watch(whole, after);
  expect(intact.events).toEqual(whole.slice(after + 1));
  expect(intact.reads()).toBe(0);

  const { events } = await watch(
    whole.filter(({ event }) => event.type !== 'item-done'),
    after,
  );
  const ends = events.filter(({ event }) => event.type === 'item-done' || event.type === 'turn-ended');
  expect(ends.map(({ sequence, event }) => [sequence, event.type])).toEqual([
    [3, 'item-done'],
    [4, 'turn-ended'],
  ]);
});
