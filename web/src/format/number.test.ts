import { i18n } from '@lingui/core';
import { afterEach, expect, test } from 'vitest';
import { formatBytes, formatCost, formatDollars, formatNumber, formatTokens } from './number.ts';
import { formatAgo, formatDuration, formatExact } from './time.ts';

afterEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }));

const TIME = '2026-03-01T12:00:00Z';
const show = () =>
  [
    formatNumber(1200),
    formatCost(0.024),
    formatCost('0.0001'),
    formatDollars(3, true),
    formatTokens(1250),
    formatBytes(1536),
    formatDuration(800),
    formatAgo(TIME, Date.parse(TIME) + 3 * 86_400_000),
  ].map((text) => text.replaceAll(/\s/g, ' '));

test('numbers, prices, sizes and times are written as in the language that is shown', () => {
  expect(show()).toEqual(['1,200', '$0.02', '< $0.01', '$3', '1.3k', '1.5 kB', '0.8 s', '3 days ago']);
  i18n.loadAndActivate({ locale: 'de', messages: {} });
  expect(show()).toEqual(['1.200', '0,02 $', '< 0,01 $', '3 $', '1,3k', '1,5 kB', '0,8 s', 'vor 3 Tagen']);
  i18n.loadAndActivate({ locale: 'nb', messages: {} });
  expect(show()).toEqual(['1 200', '0,02 $', '< 0,01 $', '3 $', '1,3k', '1,5 kB', '0,8 s', 'for 3 d. siden']);
  expect(formatExact(TIME)).toContain('1. mars 2026');
});

test('the region of the browser decides between variants of a language', () => {
  i18n.loadAndActivate({ locale: 'en', locales: ['en-GB', 'en'], messages: {} });
  expect(formatExact(TIME)).toContain('1 Mar 2026');
  expect(formatCost(2)).toBe('$2.00');
});
