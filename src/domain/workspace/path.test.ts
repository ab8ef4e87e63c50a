import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidRequest } from '../errors.ts';
import { normalizeFilePath, pathBeside, pathFor } from './path.ts';

test.each([
  ['data/costs.csv', 'data/costs.csv'],
  ['./data//costs.csv', 'data/costs.csv'],
  ['/workspace/costs.csv', 'costs.csv'],
  ['e\u0301te.txt', 'éte.txt'],
  ['.hidden', '.hidden'],
])('%j is %j', (given, path) => {
  expect(normalizeFilePath(given)).toBe(path);
});

test.each([
  '',
  '.',
  '/',
  '/workspace',
  '/etc/passwd',
  '../x',
  'a/../b',
  'a\\b',
  'a\0b',
  'a\nb',
  ' a',
  'a /b',
  'a\u202Eb',
  'a\u200Bb',
  '\uD800',
  'x'.repeat(1025),
  'd/'.repeat(40),
])('%j is refused', (given) => {
  expect(() => normalizeFilePath(given)).toThrow(InvalidRequest);
});

test('any name of an upload becomes a path, and no two the same', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 400 }), { maxLength: 5 }), (names) => {
      const taken = new Set<string>();
      for (const name of names) {
        const path = pathFor(name, (other) => taken.has(other));
        expect(taken.has(path)).toBe(false);
        expect(normalizeFilePath(path)).toBe(path);
        expect(path).not.toContain('/');
        taken.add(path);
      }
    }),
    { examples: [[['a.csv', 'a.csv', 'a.csv']], [['..', '...', '']], [['C:\\temp\\a.csv']]] },
  );
  expect(pathFor('C:\\temp\\a.csv', (other) => other === 'a.csv')).toBe('a (2).csv');
  expect(pathFor(`${'long '.repeat(200)}.xlsx`, () => false)).toMatch(/^long .*\.xlsx$/);
});

test('the paths of thousands of files of the same name are found in few steps', () => {
  const taken = new Set<string>();
  let steps = 0;
  for (let made = 0; made < 4000; made++) taken.add(pathFor('a.csv', (other) => ++steps > 0 && taken.has(other)));
  expect([...taken].at(-1)).toBe('a (4000).csv');
  expect(steps).toBeLessThan(4000 * 30);
});

test("the agent's file is put beside the person's", () => {
  expect(pathBeside('data/a.b.csv', () => false)).toBe('data/a.b (agent).csv');
  expect(pathBeside('Makefile', (other) => other === 'Makefile (agent)')).toBe('Makefile (agent 2)');
  expect(pathBeside('.env', () => false)).toBe('.env (agent)');
});
