import { expect, test } from 'vitest';
import { findNearName } from './near-name.ts';

const NAMES = ['reborn_time', 'reborn_web_fetch', 'memory_write', 'docs__search'];

test.each([
  ['reborn_tim', 'reborn_time'],
  ['Memory-write', 'memory_write'],
  ['docs_search', 'docs__search'],
  ['reborn_fetch', 'reborn_web_fetch'],
  ['github', undefined],
  ['', undefined],
])('a slip such as "%s" is led to %s', (given, meant) => {
  expect(findNearName(given, NAMES)).toBe(meant);
});
