import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findUnauditedWrites } from './audited-writes.ts';

const writesOf = (text: string, path = 'store/a.ts') => findUnauditedWrites([{ path, text }]);

describe('a write without an audit row is found', () => {
  test.each([
    ['on a transaction', "async function add(trx: OwnedTransaction) { await trx.insertInto('users').values({}); }"],
    ['in an arrow function', "const add = (db: Database) => db.updateTable('users').set({});"],
    ['of rows that go', "function drop(trx: OwnedTransaction) { return trx.deleteFrom('users'); }"],
    ['in raw SQL', 'const drop = (db) => sql`delete from users where id = ${1}`.execute(db);'],
    ['in a string', "const drop = (client) => client.query('update users set role = $1');"],
    ['to a table in a variable', "function drop(trx: A) { for (const t of ['users'] as const) trx.deleteFrom(t); }"],
    [
      'beside an audited transaction',
      "function add(trx: Audited<OwnedTransaction>, db: Database) { return db.insertInto('users'); }",
    ],
  ])('%s', (_, text) => {
    expect(writesOf(text)).toEqual([expect.stringMatching(/^store\/a\.ts: \w+ writes users on a transaction/)]);
  });
});

test('a write on an audited transaction or to another table passes', () => {
  expect(
    writesOf("function add(trx: Audited<OwnedTransaction>) { return trx.insertInto('users').values({}); }"),
  ).toEqual([]);
  expect(writesOf("function add(trx: OwnedTransaction) { return trx.insertInto('notes').values({}); }")).toEqual([]);
});

test('src/ changes rights only together with a row in the audit log', () => {
  const root = join(import.meta.dirname, '../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('.test'))
    .map((file) => ({ path: file.split(sep).join('/'), text: readFileSync(join(root, file), 'utf8') }));
  expect(files.length).toBeGreaterThan(400);
  expect(findUnauditedWrites(files)).toEqual([]);
});
