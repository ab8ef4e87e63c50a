// @module-tag slow
import { expect, test } from 'vitest';
import { cpuOf, HOSTILE, measure } from '../../bench/main-text.ts';
import { makePages } from '../../bench/pages/make-pages.ts';

const pages = makePages();

test('there are forty pages of ten kinds', () => {
  expect(new Set(pages.map(({ name }) => name.split('-', 1)[0])).size).toBe(10);
  expect(pages).toHaveLength(40);
});

test.each(pages)('the text of $name is read, and little else', (page) => {
  const { precision, recall, within } = measure(page);
  expect(precision).toBeGreaterThan(0.9);
  expect(recall).toBeGreaterThan(0.95);
  expect(within).toBeGreaterThan(0.95);
});

test.each(Object.entries(HOSTILE))(
  'half a megabyte of %s takes less than half a second of computing',
  (_name, piece) => {
    const html = piece.repeat((512 * 1024) / piece.length);
    expect(Math.min(cpuOf(html), cpuOf(html))).toBeLessThan(500);
  },
);
