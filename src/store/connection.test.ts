import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinCell } from '#domain/cell/cell.ts';
import { newId } from '#domain/ids.ts';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { withOwner } from './connection.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  database = await openMigratedDatabase();
});

afterAll(() => database.close());

const look = (userId: string) => withOwner(database.db, { userId }, (trx) => sql`select 1`.execute(trx));

test('a user who is refused while they move leaves the connection usable for others', async () => {
  await database.everything.query(
    `insert into user_moves (id, subject, cell, state) values ($1, 'ann', 2, 'leaving')`,
    [newId()],
  );
  joinCell(1);
  try {
    await expect(look('ann')).rejects.toThrow('this user moves to another cell');
    expect((await look('ben')).rows).toHaveLength(1);
  } finally {
    joinCell(undefined);
  }
});

test('so does a transaction that fails', async () => {
  const broken = withOwner(database.db, { userId: 'ann' }, (trx) => sql`select 1 / 0`.execute(trx));
  await expect(broken).rejects.toThrow('division by zero');
  expect((await look('ben')).rows).toHaveLength(1);
});
