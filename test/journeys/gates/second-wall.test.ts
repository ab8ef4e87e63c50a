import { sql } from 'kysely';
import { expect } from 'vitest';
import { openDatabase } from '#database/open-database.ts';
import { newId } from '#domain/ids.ts';
import { connectStore, type Database, withOwner } from '#store/connection.ts';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { openBrowser } from '../../support/browser.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';

/** Tables with rows of both users. A table without rows would not test the policy. */
const TRIED = ['threads', 'turns', 'items', 'gates', 'idempotency_keys', 'tokens', 'sessions'];

const test = journey()
  .extend('ann', { scope: 'file' }, ({ service }) => addUser(service, 'Wall-Ann'))
  .extend('bob', { scope: 'file' }, ({ service }) => addUser(service, 'Wall-Bob'))
  .extend('db', { scope: 'file' }, async ({ home, service, ann, bob }, { onCleanup }) => {
    const database = await openDatabase({ url: home.env.DATABASE_URL, home: home.home });
    const db = connectStore(database.connection, () => {});
    onCleanup(async () => {
      await db.destroy();
      await database.close();
    });
    for (const user of [ann, bob]) await fillTables(service, user);
    return db;
  });

async function fillTables(service: Service, user: TestUser): Promise<void> {
  await openBrowser().signIn(service.url, { token: user.token });
  await service.request('/api/sign-in-links', { method: 'POST', body: '{}', headers: user.headers });
  const tools = [{ type: 'function', name: 'look', parameters: {} }];
  const response = await service.request('/api/v1/responses', {
    method: 'POST',
    headers: { ...user.headers, 'idempotency-key': 'one' },
    body: JSON.stringify({ model: 'm', input: 'use look {}', tools }),
  });
  if (!(await response.text()).includes('function_call')) throw new Error('No gate was opened.');
}

/** The owners of the rows that a query without a condition on the owner returns. */
const ownersIn = async (table: string, as: (act: (trx: Database) => Promise<string[]>) => Promise<string[]>) =>
  as(async (trx) => {
    const { rows } = await sql<{ userId: string }>`select distinct user_id from ${sql.table(table)}`.execute(trx);
    return rows.map(({ userId }) => userId);
  });
const asAnn = (db: Database, ann: TestUser, act: (trx: Database) => Promise<string[]>) =>
  withOwner(db, { userId: ann.id }, act);
const withMarks = (db: Database, act: (trx: Database) => Promise<string[]>) =>
  db.transaction().execute(async (trx) => {
    await sql`select set_config('app.engine', 'on', true), set_config('app.identities', 'on', true)`.execute(trx);
    return act(trx);
  });

async function ownedTables(db: Database) {
  const { rows } = await sql<{ name: string; isEnabled: boolean; isForced: boolean }>`
    select relname as name, relrowsecurity as is_enabled, relforcerowsecurity as is_forced
    from information_schema.columns join pg_class on pg_class.oid = format('%I.%I', table_schema, table_name)::regclass
    where table_schema = 'public' and column_name = 'user_id' order by 1`.execute(db);
  return rows;
}

test('row-level security is enabled and forced on every table with an owner', async ({ db }) => {
  const tables = await ownedTables(db);

  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(TRIED));
  expect(tables.filter(({ isEnabled, isForced }) => !isEnabled || !isForced)).toEqual([]);
});

test("a query without a condition on the owner finds only the owner's rows", async ({ db, ann, bob }) => {
  for (const { name } of await ownedTables(db)) {
    const seen = await ownersIn(name, (act) => asAnn(db, ann, act));
    expect([name, seen.filter((owner) => owner !== ann.id)]).toEqual([name, []]);
    if (!TRIED.includes(name)) continue;
    expect([name, await ownersIn(name, (act) => withMarks(db, act))]).toEqual([
      name,
      expect.arrayContaining([ann.id, bob.id]),
    ]);
  }
});

test('without an owner, a query finds nothing at all', async ({ db }) => {
  for (const { name } of await ownedTables(db))
    expect([name, await ownersIn(name, (act) => db.transaction().execute(act))]).toEqual([name, []]);
});

test('a user cannot write rows of another user, nor give rows away', async ({ db, ann, bob }) => {
  const insert = withOwner(db, { userId: ann.id }, (trx) =>
    trx.insertInto('threads').values({ id: newId(), userId: bob.id, lastSeq: 1, catalog: '[]' }).execute(),
  );
  await expect(insert).rejects.toThrow('row-level security');
  const give = withOwner(db, { userId: ann.id }, (trx) => trx.updateTable('threads').set({ userId: bob.id }).execute());
  await expect(give).rejects.toThrow('row-level security');
  const { numDeletedRows } = await withOwner(db, { userId: ann.id }, (trx) =>
    trx.deleteFrom('threads').where('userId', '=', bob.id).executeTakeFirst(),
  );
  expect(numDeletedRows).toBe(0n);
});

test("a user's transaction cannot read users or the audit log", async ({ db, ann }) => {
  for (const table of ['users', 'sign_ins', 'audit']) {
    const { rows } = await withOwner(db, { userId: ann.id }, (trx) =>
      sql`select 1 from ${sql.table(table)}`.execute(trx),
    );
    expect([table, rows]).toEqual([table, []]);
  }
});

test.for(['update audit set actor = actor', 'delete from audit', 'truncate audit'])(
  'the audit log refuses: %s',
  async (statement, { db }) => {
    const change = db.transaction().execute(async (trx) => {
      await sql`select set_config('app.identities', 'on', true)`.execute(trx);
      await sql.raw(statement).execute(trx);
    });
    await expect(change).rejects.toThrow('only ever appended to');
  },
);

test('row-level security applies to the role of the service', async ({ db }) => {
  const { rows } = await sql<{ isUnbound: boolean }>`
    select rolsuper or rolbypassrls as is_unbound from pg_roles where rolname = current_user`.execute(db);

  expect(rows).toEqual([{ isUnbound: false }]);
});
