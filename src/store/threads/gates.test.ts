import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GateId, newId } from '#domain/ids.ts';
import { OPERATOR, type Scope } from '#domain/principal.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { type Owner, withOwner } from '../connection.ts';
import { listOpenGates } from './gates.ts';

const [ann, bob] = [{ userId: 'ann' }, { userId: 'bob' }];
let database: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  database = await openMigratedDatabase();
  for (const [userId, answered] of [['ann'], ['bob'], ['ann'], ['ann', 'now']]) {
    const thread = newId();
    await database.everything.query(`insert into threads (id, user_id, last_seq) values ($1, $2, 1)`, [thread, userId]);
    await database.everything.query(
      `insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call, answered_at)
       values ($1, $2, $1, 1, $3, 'approval', '{}', $4)`,
      [newId(), thread, userId, answered ?? null],
    );
  }
});

afterAll(() => database.close());

const list = (as: Owner, scope: Scope, page: { before?: GateId; limit: number } = { limit: 10 }) =>
  withOwner(database.db, as, (trx) => listOpenGates(trx, scope, page));
const owners = async (...asked: Parameters<typeof list>) => (await list(...asked)).map(({ userId }) => userId);

test('a user sees their own open gates and the operator sees all, newest first', async () => {
  expect(await owners(ann, ann)).toEqual(['ann', 'ann']);
  expect(await owners(OPERATOR, 'everyone')).toEqual(['ann', 'bob', 'ann']);
  expect(await owners(OPERATOR, OPERATOR)).toEqual([]);
});

test('row-level security enforces it', async () => {
  expect(await owners(bob, 'everyone')).toEqual(['bob']);
  expect(await owners(bob, ann)).toEqual([]);
});

test('a page continues after the last gate of the previous page', async () => {
  const [first] = await list(OPERATOR, 'everyone', { limit: 1 });
  const page = { limit: 10, ...(first && { before: first.id }) };

  expect(await owners(OPERATOR, 'everyone', page)).toEqual(['bob', 'ann']);
});
