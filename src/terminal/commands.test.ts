import { expect, test } from 'vitest';
import { parseCommand, parsePromptArguments } from './commands.ts';

test('a prompt of an MCP server is a command with the name of the server', () => {
  expect(parseCommand('/docs:summary style=short')).toEqual({
    name: 'prompt',
    server: 'docs',
    prompt: 'summary',
    argument: 'style=short',
  });
  expect(parseCommand('/new')).toEqual({ name: 'new', argument: '' });
  expect(parseCommand('/nothing')).toBe('unknown');
  expect(parseCommand('see https://example.com/a:b')).toBeUndefined();
});

test('arguments are pairs, and the only argument needs no name', () => {
  expect(parsePromptArguments(['city', 'state'], 'city="New York" state=NY')).toEqual({
    city: 'New York',
    state: 'NY',
  });
  expect(parsePromptArguments(['city'], 'New York')).toEqual({ city: 'New York' });
  expect(parsePromptArguments(['city'], 'city=Oslo')).toEqual({ city: 'Oslo' });
  expect(parsePromptArguments([], '')).toEqual({});
});
