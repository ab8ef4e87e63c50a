import { expect, test } from 'vitest';
import { firstPages } from './first-pages.ts';

const page = (number: number, text: string) => ({ page: number, label: '', text });

test('pages are shown as far as they fit, with the number of the next', () => {
  const pages = [page(1, 'a'.repeat(70_000)), page(2, 'b'.repeat(50_000)), page(4, 'c')];

  expect(firstPages(pages)).toEqual({ shown: pages.slice(0, 2), next: 4 });
  expect(firstPages(pages.slice(1))).toEqual({ shown: pages.slice(1), next: undefined });
  expect(firstPages([])).toEqual({ shown: [], next: undefined });
});

test('a page that is too long by itself is cut, and says so', () => {
  const { shown, next } = firstPages([page(1, 'é'.repeat(100_000)), page(2, 'b')]);

  expect(shown).toHaveLength(1);
  expect(shown[0]?.text).toMatch(/^é{60000}\n\[Cut here: 80000 of 200000 bytes are left out\.\]$/);
  expect(next).toBe(2);
});
