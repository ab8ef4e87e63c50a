import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readTypedLines } from './typed-lines.ts';

test('lines that come before they are asked for wait, and never answer a question', async () => {
  const typed = new PassThrough();
  const lines = readTypedLines(typed);
  typed.write('first\nsecond\nyes\n');
  expect(await lines.next()).toBe('first');
  const answer = lines.fresh();
  typed.write('no\n');
  expect(await answer).toBe('no');
  expect(await lines.next()).toBe('second');
  expect(await lines.next()).toBe('yes');
});

test('at the end of the input, waiting lines come first', async () => {
  const typed = new PassThrough();
  const lines = readTypedLines(typed);
  typed.end('last\n');
  await once(typed, 'close');
  expect(await lines.next()).toBe('last');
  expect(await lines.next()).toBeUndefined();
  expect(await lines.fresh()).toBeUndefined();
});
