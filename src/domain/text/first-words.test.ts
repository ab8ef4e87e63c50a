import { expect, test } from 'vitest';
import type { ItemId } from '../ids.ts';
import { type NewItem, text, textByOthers } from '../thread/item.ts';
import { firstWords } from './first-words.ts';

const user = (said: string): NewItem => ({
  id: 'i' as ItemId,
  type: 'message',
  role: 'user',
  content: [text(said)],
  status: 'completed',
});

test('the first and the newest message of the user, on one line', () => {
  expect(firstWords([user('plan\n\n a   trip'), user('to Oslo')])).toEqual({
    opening: 'plan a trip',
    preview: 'to Oslo',
  });
});

test('the blocks of a caller are not what was said', () => {
  const framed =
    '<instructions>\nbe short\n</instructions>\n\n<user-context>\n[Context: a: 1]\n</user-context>\n\nhello';
  expect(firstWords([user(framed)]).opening).toBe('hello');
});

test('a long message is cut between words, and a long word in the middle but never in a character', () => {
  const { opening } = firstWords([user('word '.repeat(100))]);
  expect(opening.length).toBeLessThanOrEqual(121);
  expect(opening).toMatch(/word…$/);
  expect(firstWords([user(`x${'😀'.repeat(100)}`)]).opening.isWellFormed()).toBe(true);
});

test("characters that PostgreSQL can't store are removed", () => {
  expect(firstWords([user('a\u0000b\ud800c')]).opening).toBe('a b\ufffdc');
});

test('an empty message has no words', () => {
  expect(firstWords([])).toEqual({ opening: '', preview: '' });
  expect(firstWords([user(' '), user('two')])).toEqual({ opening: 'two', preview: 'two' });
});

test('words of others are kept apart from the words of the sender', () => {
  const content = [text('Sum it up'), textByOthers('Cheap boats', 'forwarded'), text('by noon')];
  expect(firstWords([{ ...user(''), content } as NewItem]).opening).toBe('Sum it up Cheap boats by noon');
  expect(firstWords([{ ...user(''), content: content.slice(1, 2) } as NewItem]).opening).toBe('Cheap boats');
});
