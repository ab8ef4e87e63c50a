import { expect, test } from 'vitest';
import { findMark } from './offers.ts';

test('a slash offers something only at the start of a message, and an at sign at the start of a word', () => {
  expect(findMark('/')).toEqual({ mark: '/', typed: '', start: 0 });
  expect(findMark('/rev')).toEqual({ mark: '/', typed: 'rev', start: 0 });
  expect(findMark('see /rev')).toBeUndefined();
  expect(findMark('/rev now')).toBeUndefined();
  expect(findMark('use @likes/t')).toEqual({ mark: '@', typed: 'likes/t', start: 4 });
  expect(findMark('read @docs:file:///no')).toEqual({ mark: '@', typed: 'docs:file:///no', start: 5 });
  expect(findMark('ann@example')).toBeUndefined();
});
