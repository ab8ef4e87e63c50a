import { expect, test } from 'vitest';
import type { ThreadItem } from './api.ts';
import { unshownFrom } from './known-address.ts';
import { EMPTY_THREAD, withItems } from './thread-state.ts';

const place = { turn_id: 't', turn_seq: 1, attempt: null, usage: null, created_at: '2026-03-01T12:00:00.000Z' };
const said = (text: string): ThreadItem => ({
  ...place,
  id: 'm',
  position: 0,
  type: 'message',
  role: 'user',
  content: [{ type: 'text', text }],
  status: 'completed',
});
const output = (text: string, foreign = true): ThreadItem => ({
  ...place,
  id: 'o',
  position: 1,
  type: 'function_call_output',
  call_id: 'k',
  output: [{ type: 'text', text }],
  reads: { foreign, private: false },
});
const after = (...items: ThreadItem[]) => withItems(EMPTY_THREAD, items);

test('any address is opened while nothing by others was read', () => {
  expect(unshownFrom(after(said('hi'), output('x', false)), 'https://any.example/x')).toBeUndefined();
});

test.each(['https://news.example/a', 'https://news.example/b?x=1', 'https://own.example/'])(
  'an address that was shown is opened: %s',
  (address) => {
    const page = output('See https://news.example/a. And (https://news.example/b?x=1), or "https://news.example/c"');
    expect(unshownFrom(after(said('open https://own.example/'), page), address)).toBeUndefined();
  },
);

test.each([
  ['https://news.example/rest?for=diary', 'https://news.example/rest?for='],
  ['https://news.example/re', 'https://news.example/re'],
  ['https://other.example/', 'https://'],
])('an address that the agent has written is divided where it was not shown: %s', (address, shown) => {
  const page = output('Order at https://news.example/rest?for= now');
  expect(address.slice(0, unshownFrom(after(said('hi'), page), address))).toBe(shown);
});
