import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GateId, type ItemId, newId } from '#domain/ids.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { unrecorded } from '../../../test/support/unrecorded.ts';
import { type Owner, withOwner } from '../connection.ts';
import { findApproval, insertApproval, useApproval } from './approvals.ts';

const ann = { userId: 'ann' };
const bob = { userId: 'bob' };
let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let gateId: GateId;
let callId: ItemId;

beforeAll(async () => {
  database = await openMigratedDatabase();
});

beforeEach(async () => {
  [gateId, callId] = [newId(), newId()];
  const thread = newId();
  await database.everything.query(`insert into threads (id, user_id, last_seq) values ($1, 'ann', 1)`, [thread]);
  await database.everything.query(
    `insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call) values ($1, $2, $1, 1, 'ann', 'approval', '{}')`,
    [gateId, thread],
  );
  await withOwner(database.db, ann, (trx) =>
    unrecorded(trx, (writing) =>
      insertApproval(writing, ann, { gateId, callId, digest: 'd1', answeredBy: 'operator' }),
    ),
  );
});

afterAll(() => database.close());

const find = (digest = 'd1', owner: Owner = ann, id = callId) =>
  withOwner(database.db, owner, (trx) => findApproval(trx, owner, { callId: id, digest }));
const use = (owner: Owner = ann) => withOwner(database.db, owner, (trx) => useApproval(trx, owner, { gateId, callId }));

test('an approval is found by the call and its content, and only by its owner', async () => {
  expect(await find()).toMatchObject({ gateId, answeredBy: 'operator', createdAt: expect.any(Date) });
  expect(await find('d2')).toBeUndefined();
  expect(await find('d1', ann, newId())).toBeUndefined();
  expect(await find('d1', bob)).toBeUndefined();
});

test('row-level security hides an approval from other users in every query', async () => {
  const seen = await withOwner(database.db, bob, (trx) => trx.selectFrom('approvals').selectAll().execute());

  expect(seen).toEqual([]);
});

test('an approval can be used once, only by its owner, even with concurrent attempts', async () => {
  expect(await use(bob)).toBe(false);
  const tries = await Promise.all([use(), use(), use()]);

  expect(tries.filter((used) => used)).toHaveLength(1);
  expect(await find()).toBeUndefined();
});

test('an approval is valid for 15 minutes', async () => {
  const move = (by: string) =>
    database.everything.query(`update approvals set expires_at = expires_at - $2::interval where gate_id = $1`, [
      gateId,
      by,
    ]);
  await move('14 minutes 30 seconds');
  expect(await find()).toMatchObject({ gateId });

  await move('31 seconds');
  expect(await find()).toBeUndefined();
  expect(await use()).toBe(false);
});
