import { expect, test } from 'vitest';
import type { ItemList, ThreadItem } from './api.ts';
import { withPage } from './thread-page.ts';
import { EMPTY_THREAD, withMessage } from './thread-state.ts';

const item = (turn: string, seq: number): ThreadItem => ({
  id: `item ${turn}`,
  type: 'message',
  role: 'user',
  content: [{ type: 'text', text: turn }],
  status: 'completed',
  turn_id: turn,
  turn_seq: seq,
  position: 0,
  attempt: null,
  usage: null,
  created_at: '2026-01-01T00:00:00.000Z',
});
const page = (line: number, items: ThreadItem[], versions: ItemList['versions'] = []): ItemList => ({
  items,
  line,
  versions,
  refused: [],
  steered: [],
  next_before: null,
});
const position = { number: 2, count: 2, previous: 'b', next: null };

test('a page of the same line adds to what is known', () => {
  const state = withPage(withPage(EMPTY_THREAD, page(0, [item('b', 2)])), page(0, [item('a', 1)]));
  expect(state.turns.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('a page of another line hides turns that it does not have, older and newer ones', () => {
  const first = withPage(EMPTY_THREAD, page(0, [item('a', 1), item('b', 2)]));
  const edited = page(1, [item('a', 1), item('c', 3)], [{ turn_id: 'c', message: position, answer: null }]);
  const second = withPage(first, edited);
  expect(second).toMatchObject({ line: 1, turns: [{ id: 'a' }, { id: 'c' }] });
  expect(second.versions.get('c')?.message).toEqual(position);
  const third = withPage(second, page(2, [item('a', 1), item('b', 2)]));
  expect(third.turns.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('a turn that starts while the page is on its way stays', () => {
  const first = withPage(EMPTY_THREAD, page(0, [item('a', 1), item('b', 2)]));
  const event = { type: 'turn-started' as const, seq: 3, channel: 'gateway', created_at: '', items: [item('c', 3)] };
  const message = { type: 'turn-event' as const, thread_id: 't', turn_id: 'c', sequence: -1, event };
  const started = withMessage(first, message, 1);
  const state = withPage(started, page(1, [item('a', 1)]), first.turns);
  expect(state.turns.map(({ id }) => id)).toEqual(['a', 'c']);
});
