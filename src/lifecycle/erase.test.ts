import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bucket } from '#domain/bucket.ts';
import { isGenuine } from '#domain/erasure.ts';
import { newId } from '#domain/ids.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { addPerson, IDENTITIES_OPEN, OWNED_ROWS } from '../../test/support/person.ts';
import { findPendingErasures, runErasure } from './erase.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: ReturnType<typeof connectEngine>;
/** Sees every row, also in the identity tables. */
let everything: pg.Pool;

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = connectEngine(database.connection, () => {});
  everything = database.connectEverything(IDENTITIES_OPEN);
});

afterAll(async () => {
  await everything.end();
  await pool.end();
  await database.close();
});

/** The rows of all tables that contain the text, by table. */
async function findText(text: string): Promise<Record<string, number>> {
  const { rows: tables } = await everything.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await everything.query<{ count: number }>(
      `select count(*)::integer as count from ${name} as t where strpos(t::text, $1) > 0`,
      [text],
    );
    if (rows[0]?.count) found[name] = rows[0].count;
  }
  return found;
}

async function request(subject: string): Promise<string> {
  const id = newId();
  await everything.query(
    `insert into erasures (id, subject, requested_by, requested_at) values ($1, $2, 'operator', now() - interval '3 seconds')`,
    [id, subject],
  );
  return id;
}

test('this test has a row for every table with an owner', async () => {
  const { rows } = await everything.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'user_id' order by 1`,
  );
  expect(Object.keys(OWNED_ROWS).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test('an erased user is in no row of any table; others keep everything', async () => {
  const [ann, bob] = ['ann-0198', 'bob-0198'];
  for (const person of [ann, bob]) await addPerson(everything, person);
  const before = await findText(ann);
  expect(Object.keys(before)).toEqual(expect.arrayContaining(Object.keys(OWNED_ROWS)));
  const bobs = await findText(bob);

  const id = await request(ann);
  expect(await findPendingErasures(pool)).toEqual([id]);
  // Without its bucket, the user can't be erased completely.
  await expect(runErasure(pool, id)).rejects.toThrow('ATTACHMENTS_BUCKET is not set');
  expect(await findPendingErasures(pool)).toEqual([id]);
  const removed: string[] = [];
  const bucket: Bucket = {
    put: async () => {},
    get: async () => undefined,
    remove: async (key) => void removed.push(key),
  };
  const certificate = await runErasure(pool, id, undefined, bucket);
  expect(removed).toEqual([`attachments/${ann}`]);

  // The audit log and the certificate keep the id, which refers to nothing any more.
  expect(await findText(ann)).toEqual({ audit: 3, erasures: 1 });
  const { rows: audit } = await everything.query(
    'select actor, action, subject, detail from audit where actor = $1 or subject = $1 or action = $2 order by id',
    [ann, 'token.create'],
  );
  expect(audit).toEqual([
    { actor: 'operator', action: 'user.add', subject: ann, detail: {} },
    { actor: 'operator', action: 'token.create', subject: 'some-token', detail: {} },
    { actor: ann, action: 'skill.add', subject: null, detail: {} },
    { actor: 'operator', action: 'token.create', subject: 'some-token', detail: { userId: bob, name: 'phone of Ann' } },
    { actor: 'operator', action: 'user.erased', subject: ann, detail: { digest: certificate?.digest } },
  ]);
  expect(await findText(bob)).toEqual(bobs);

  const tables = Object.keys(OWNED_ROWS).filter((name) => name !== 'unused_objects');
  const ones = Object.fromEntries(tables.map((name) => [name, 1]));
  expect(certificate).toMatchObject({ erasure: id, subject: ann, requestedBy: 'operator' });
  expect(certificate?.deleted).toEqual({
    ...ones,
    items: 3,
    pairings: 2,
    settings: 1,
    users: 1,
    'audit details': 3,
    'objects in the bucket': 1,
  });
  expect(certificate && isGenuine(certificate)).toBe(true);
  expect(certificate && isGenuine({ ...certificate, deleted: { ...certificate.deleted, items: 4 } })).toBe(false);
  expect(await runErasure(pool, id)).toEqual(certificate);
  expect(await findPendingErasures(pool)).toEqual([]);
});

test('two processes erase at once, one stops early, and each row is counted once', async () => {
  await everything.query(
    `insert into threads (id, user_id, last_seq) select gen_random_uuid(), 'cid', 1 from generate_series(1, 950)`,
  );
  await everything.query(
    `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
     select id, 1, n, gen_random_uuid(), gen_random_uuid(), 'cid', '{}' from threads, generate_series(1, 4) as n where user_id = 'cid'`,
  );
  const id = await request('cid');
  let asked = 0;
  const [first, second] = await Promise.all([runErasure(pool, id, () => asked++ < 4), runErasure(pool, id)]);
  expect(first).toBeUndefined();
  expect(second?.deleted).toEqual({ threads: 950, items: 3800 });
});

test('an erasure finds the events of turns that no longer exist', async () => {
  await everything.query(
    `insert into turn_events (turn_id, first, last, events, user_id)
     values (gen_random_uuid(), 0, 0, '["words of dee-0198"]', 'dee-0198')`,
  );
  const certificate = await runErasure(pool, await request('dee-0198'));
  expect(certificate?.deleted).toEqual({ turn_events: 1 });
  expect(await findText('dee-0198')).toEqual({ audit: 1, erasures: 1 });
});

test('an erasure must be requested first', async () => {
  await expect(runErasure(pool, newId())).rejects.toThrow('was not requested');
});
