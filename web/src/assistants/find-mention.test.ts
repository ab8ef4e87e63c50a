import { expect, test } from 'vitest';
import { findMention } from './use-assistants.ts';

const assistants = [{ name: 'research' }, { name: 'tax-2026' }];

test.each([
  ['@research who was it?', 'research', 'who was it?'],
  ['@Tax-2026\nhow much?\n', 'tax-2026', 'how much?\n'],
])('%j is for an assistant', (message, assistant, rest) => {
  expect(findMention(message, assistants)).toEqual({ assistant, message: rest });
});

test.each(['@nobody hello', '@research', 'ask @research', 'research hello', '@research, hello'])(
  '%j is for the assistant that answers already',
  (message) => {
    expect(findMention(message, assistants)).toBeUndefined();
  },
);
