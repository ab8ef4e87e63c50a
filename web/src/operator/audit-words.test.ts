import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { actionWords, nameOfSubject, nameOfUser } from './audit-words.ts';

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

test('rows name tools, users and settings, and never show an id alone', () => {
  const id = '01a1f1d1-0857-76ad-922d-40ddf0f96464';
  const name = (subject: string | null, detail = {}) =>
    nameOfSubject({ actor: 'operator', subject, detail }, { u: 'Ann' });
  expect(name(id, { tool: 'send_mail' })).toBe('send_mail');
  expect(name(id, { tool: 'send_mail', tools: ['send_mail', 'pay'] })).toBe('send_mail, pay');
  expect([name(id), name(null), name('operator')]).toEqual(['', '', '']);
  expect([name('u'), name('x', { name: 'Laptop' }), name('release-notes')]).toEqual(['Ann', 'Laptop', 'release-notes']);
  expect(name('secrets_key')).toBe('the key for stored secrets');
  expect([nameOfUser('*', {}), nameOfUser(id, { [id]: 'Bob' })]).toEqual(['The service', 'Bob']);
});
