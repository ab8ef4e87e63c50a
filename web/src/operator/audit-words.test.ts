import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { actionWords } from './audit-words.ts';

test('every action of the audit log has words', () => {
  const code = globSync('src/**/*.ts', { exclude: (path) => path.endsWith('.test.ts') }).map((file) =>
    readFileSync(file, 'utf8'),
  );
  const found = code.flatMap((text) =>
    Array.from(
      text.matchAll(/(?:\baction: |\bby\(\w+, |\brecord\(\w+, \w+, )'([a-z-]+\.[a-z-]+)'/g),
      ([, action]) => action,
    ),
  );
  expect(found.length).toBeGreaterThan(40);
  const known = Object.keys(actionWords());
  expect(found.filter((action) => action !== undefined && !known.includes(action))).toEqual([]);
});
