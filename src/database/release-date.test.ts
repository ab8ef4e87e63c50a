import { expect, test } from 'vitest';
import { describeAge, releaseDateOf } from './release-date.ts';

const dayOf = (version: string) => releaseDateOf(version)?.toISOString().slice(0, 10);

test('listed releases have their date, and later ones the date in the schedule', () => {
  expect(['18.0', '18.4', '18.6', '18.7', '18.8'].map(dayOf)).toEqual([
    '2025-09-25',
    '2026-05-14',
    '2026-08-13',
    '2026-11-12',
    '2027-02-11',
  ]);
  expect(['15.12', '19.1', '18beta1', ''].map(dayOf)).toEqual([undefined, undefined, undefined, undefined]);
});

test('a release is too old after four months', () => {
  expect(describeAge('18.4', new Date('2026-09-10'))).toBeUndefined();
  expect(describeAge('18.4', new Date('2026-09-20'))).toBe(
    'PostgreSQL 18.4 is of May 2026 and lacks the security fixes since then.',
  );
  expect(describeAge('18.6', new Date('2026-11-17'))).toBeUndefined();
});
