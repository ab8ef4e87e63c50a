import { expect, test } from 'vitest';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import { type Item, type ItemBody, text, textByOthers } from '#domain/thread/item.ts';
import type { Summary } from '#domain/thread/summary.ts';
import { findSeams, recentItems } from './history.ts';

const say = (role: 'user' | 'assistant', value = 'hi'): ItemBody => ({
  type: 'message',
  role,
  content: [text(value)],
  status: 'completed',
});
const call = (callId: string): ItemBody => ({
  type: 'function_call',
  callId,
  name: 'look',
  arguments: '{}',
  external: false,
});
const output = (callId: string): ItemBody => ({ type: 'function_call_output', callId, output: [text('seen')] });

const seams = (...bodies: ItemBody[]) => findSeams(bodies as Item[]);

test('a history is parted before messages and answers', () => {
  expect(seams(say('user'), say('assistant'), say('user'), say('assistant'))).toEqual([1, 2, 3]);
});

test('a call is never parted from its output, nor from the words that came with it', () => {
  expect(seams(say('user'), say('assistant'), call('a'), call('b'), output('a'), output('b'), say('user'))).toEqual([
    1, 6,
  ]);
});

test('each round of calls is a place to part at', () => {
  expect(seams(say('user'), call('a'), output('a'), call('b'), output('b'))).toEqual([1, 3]);
});

test('a repeated id opens a separate call', () => {
  expect(seams(say('user'), call('a'), output('a'), call('a'), output('a'), say('assistant'))).toEqual([1, 3, 5]);
});

test('a call that never got an output holds nothing together beyond its answer', () => {
  expect(seams(say('user'), call('lost'), say('user'), say('assistant'))).toEqual([1, 2, 3]);
});

test('items that a summary covers are left out, except for the words the turn works on', () => {
  const at = (turnSeq: number, position: number, attempt: number | null, body: ItemBody): Item => ({
    ...body,
    id: `${turnSeq}:${position}` as ItemId,
    threadId: 't' as ThreadId,
    turnId: 'u' as TurnId,
    turnSeq,
    position,
    attempt,
    usage: null,
    startedAt: null,
  });
  const items = [
    at(1, 0, null, say('user')),
    at(1, 1, 0, say('assistant')),
    at(2, 0, null, say('user')),
    at(2, 1, 0, call('a')),
    at(2, 2, 0, output('a')),
    at(2, 3, 0, call('b')),
  ];
  const summary: Summary = { throughSeq: 2, throughPosition: 2, turnSeq: 2, text: '', reads: {} };
  const ids = (turnSeq: number) => recentItems(items, summary, turnSeq).map(({ id }) => id);

  expect(ids(2)).toEqual(['2:0', '2:3']);
  expect(ids(3)).toEqual(['2:3']);
});

test('of many images the newest are kept, and a text says where one was left out', () => {
  const picture = (base64: string): ItemBody => ({
    type: 'message',
    role: 'user',
    content: [text('look'), { type: 'image', mediaType: 'image/png', base64 }],
    status: 'completed',
  });
  const items = ['aaaa', 'bbbb', 'cccc'].map((base64) => picture(base64) as Item);

  const shown = recentItems(items, null, 3, 8).map((item) => (item.type === 'message' ? item.content[1] : undefined));

  expect(shown).toEqual([
    textByOthers('[image left out: this thread holds more than one prompt can]', 'file'),
    { type: 'image', mediaType: 'image/png', base64: 'bbbb' },
    { type: 'image', mediaType: 'image/png', base64: 'cccc' },
  ]);
});
