import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { addPerson, IDENTITIES_OPEN, OWNED_ROWS } from '../../test/support/person.ts';
import { NOT_EXPORTED, readPersonRows } from './person-rows.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let everything: pg.Pool;

beforeAll(async () => {
  database = await openMigratedDatabase();
  everything = database.connectEverything(IDENTITIES_OPEN);
  for (const person of ['ann-0198', 'bob-0198']) await addPerson(everything, person);
});

afterAll(async () => {
  await everything.end();
  await database.close();
});

async function exportOf(userId: string) {
  const rows: { table: string; json: string }[] = [];
  for await (const row of readPersonRows(database.db, { userId })) rows.push(row);
  return rows;
}

test('every table with an owner is exported, or says why it is not', async () => {
  const exported = new Set((await exportOf('ann-0198')).map(({ table }) => table));
  expect([...exported, ...Object.keys(NOT_EXPORTED)].toSorted()).toEqual(Object.keys(OWNED_ROWS).toSorted());
});

test('an export has the rows of one user only, and no ciphertext', async () => {
  const rows = await exportOf('ann-0198');
  const text = rows.map(({ json }) => json).join('\n');
  expect(text).not.toContain('bob-0198');
  expect(rows.filter(({ table }) => table === 'items')).toHaveLength(3);
  expect(JSON.parse(rows.find(({ table }) => table === 'secrets')?.json ?? '')).not.toHaveProperty('ciphertext');
});

test('large tables and threads are read in pages, each row once', async () => {
  await everything.query(
    `insert into threads (id, user_id, last_seq) select gen_random_uuid(), 'cid', 1 from generate_series(1, 250)`,
  );
  await everything.query(
    `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
     select (select id from threads where user_id = 'cid' limit 1), s, p, gen_random_uuid(), gen_random_uuid(), 'cid', '{}'
     from generate_series(1, 5) as s, generate_series(1, 7) as p`,
  );
  await everything.query(
    `insert into occurrences (mission_id, slot, user_id, kind, state, revision, due_at)
     select id, now() + make_interval(secs => n * 0.000001), 'cid', 'scheduled', 'missed', 1, now()
     from (select id from missions limit 1) as m, generate_series(1, 230) as n`,
  );
  const rows = await exportOf('cid');
  const count = (table: string) => new Set(rows.filter((row) => row.table === table).map(({ json }) => json)).size;
  expect([count('threads'), count('items'), count('occurrences')]).toEqual([250, 35, 230]);
  expect(rows).toHaveLength(250 + 35 + 230);
});
