import { afterAll, expect, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import { connectStore, withOwner } from '#store/connection.ts';
import { openMigratedDatabase } from './support/migrated-database.ts';

const database = await openMigratedDatabase();
afterAll(() => database.close());

test('a database session with leftover marks still shows an owner only their own rows', async () => {
  await database.everything.query(`insert into threads (id, user_id, last_seq) values ($1, 'bob', 1)`, [newId()]);
  await database.everything.query(`insert into audit (actor, action) values ('bob', 'sign-in')`);
  const options = '-c app.engine=on -c app.identities=on';
  const marked = connectStore({ ...database.connection, options }, () => {});
  try {
    const seen = await withOwner(marked, { userId: 'ann' }, async (trx) => [
      await trx.selectFrom('threads').selectAll().execute(),
      await trx.selectFrom('audit').selectAll().execute(),
    ]);
    expect(seen).toEqual([[], []]);
  } finally {
    await marked.destroy();
  }
});
