import { expect, test } from 'vitest';
import { createPromptHistory } from './prompt-history.ts';

test('earlier prompts come back one by one, and the draft is at the end', () => {
  const history = createPromptHistory(() => ['first', 'second']);
  expect(history.move(1, 'draft')).toBeUndefined();
  expect(history.move(-1, 'draft')).toBe('second');
  expect(history.move(-1, 'second')).toBe('first');
  expect(history.move(-1, 'first')).toBeUndefined();
  expect(history.move(1, 'first')).toBe('second');
  expect(history.move(1, 'second')).toBe('draft');
});

test('a recalled prompt that was changed is a new draft', () => {
  const history = createPromptHistory(() => ['first', 'second']);
  expect(history.move(-1, '')).toBe('second');
  expect(history.move(-1, 'second!')).toBe('second');
  expect(history.move(1, 'second')).toBe('second!');
});
