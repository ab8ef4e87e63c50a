import { expect, test } from 'vitest';
import { formatCost, formatCount, formatMinute, formatShare, formatTokens, outlineArguments } from './format.ts';

test.each([
  [null, '–'],
  [0, '$0.00'],
  ['0.004', '< $0.01'],
  ['0.01', '$0.01'],
  [12.345, '$12.35'],
])('%s dollars read as %s', (usd, words) => {
  expect(formatCost(usd)).toBe(words);
});

test('a moment is written in the zone of the machine, or in a named one', () => {
  expect(formatMinute('2026-03-01T23:30:15.123Z', 'Europe/Oslo')).toBe('2026-03-02 00:30 (Europe/Oslo)');
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  expect(`${formatMinute('2026-03-01T23:30:00Z')} (${timeZone})`).toBe(formatMinute('2026-03-01T23:30:00Z', timeZone));
});

test.each([
  [0, '0 %'],
  [0.0099, '< 1 %'],
  [0.126, '13 %'],
])('the share %s reads as %s', (share, words) => {
  expect(formatShare(share)).toBe(words);
});

test.each([
  [999, '999'],
  [1234, '1.2k'],
  [56_789, '57k'],
  [3_400_000, '3.4M'],
])('%s tokens read as %s', (tokens, words) => {
  expect(formatTokens(tokens)).toBe(words);
});

test.each([
  ['{"city":"Oslo","days":5,"tags":["a","b"],"none":null}', 'Oslo, 5, 2 entries'],
  ['{"to":"ann","to":"eve"}', '{"to":"ann","to":"eve"}'],
  ['{"amount":10000000000000000001}', '{"amount":10000000000000000001}'],
  ['{"text":"a\u202e"}', '{"text":"a\\u202e"}'.slice(9, -2)],
  ['not json', 'not json'],
])('%s is outlined as %s', (json, words) => {
  expect(outlineArguments(json)).toBe(words);
});

test('one thing is not written as several', () => {
  expect([0, 1, 1200].map((count) => formatCount(count, 'token'))).toEqual(['0 tokens', '1 token', '1,200 tokens']);
});
