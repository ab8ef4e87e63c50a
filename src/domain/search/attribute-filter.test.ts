import { expect, test } from 'vitest';
import { type AttributeFilter, matchesFilter } from './attribute-filter.ts';

const REPORT = { year: 2025, region: 'eu', final: true };

test.each<[filter: AttributeFilter, matches: boolean]>([
  [{ type: 'eq', key: 'year', value: 2025 }, true],
  [{ type: 'eq', key: 'year', value: '2025' }, false],
  [{ type: 'eq', key: 'toString', value: 'x' }, false],
  [{ type: 'ne', key: 'author', value: 'Ann' }, true],
  [{ type: 'ne', key: 'final', value: true }, false],
  [{ type: 'gt', key: 'year', value: 2025 }, false],
  [{ type: 'gte', key: 'year', value: 2025 }, true],
  [{ type: 'lt', key: 'year', value: 2026 }, true],
  [{ type: 'lte', key: 'year', value: 2024 }, false],
  [{ type: 'gt', key: 'author', value: 0 }, false],
  [{ type: 'lt', key: 'author', value: 'Z' }, false],
  [{ type: 'in', key: 'region', value: ['eu', 'us'] }, true],
  [{ type: 'nin', key: 'region', value: ['eu', 'us'] }, false],
  [{ type: 'nin', key: 'author', value: ['Ann'] }, true],
  [
    {
      type: 'and',
      filters: [
        { type: 'eq', key: 'year', value: 2025 },
        { type: 'eq', key: 'region', value: 'us' },
      ],
    },
    false,
  ],
  [
    {
      type: 'or',
      filters: [
        { type: 'eq', key: 'year', value: 2024 },
        { type: 'eq', key: 'region', value: 'eu' },
      ],
    },
    true,
  ],
])('%j matches a report of 2025: %s', (filter, matches) => {
  expect(matchesFilter(REPORT, filter)).toBe(matches);
});
