import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatAccountId, newId, type ReplicaId, type UpdateId } from '#domain/ids.ts';
import { endUpdate, storeUpdates, takeUpdates } from '#store/system/chats.ts';
import { openMigratedDatabase } from '../../../../test/support/migrated-database.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = database.everything;
});
afterAll(() => database.close());

async function addReplica(): Promise<ReplicaId> {
  const id = newId<ReplicaId>();
  await pool.query('insert into replicas (id) values ($1)', [id]);
  return id;
}

const declareDead = (id: ReplicaId) => pool.query('delete from replicas where id = $1', [id]);

test('an update that a dead replica was handling is taken at once; one that waits for another try is not', async () => {
  const account = newId<ChatAccountId>();
  await pool.query(
    `insert into chat_accounts (id, channel, remote_id, name, mode, groups) values ($1, 'telegram', 'bot', 'bot', 'polling', false)`,
    [account],
  );
  const updates = ['handled', 'waiting'].map((lane, position) => ({
    id: newId<UpdateId>(),
    remoteId: lane,
    lane,
    position,
    sender: '1',
    body: {},
  }));
  await storeUpdates(pool, account, updates, { cursor: null, poller: null });
  const [dying, other] = [await addReplica(), await addReplica()];
  const taken = await takeUpdates(pool, dying, 10, 60);
  expect(taken).toHaveLength(2);
  for (const update of taken.filter(({ remoteId }) => remoteId === 'waiting'))
    await endUpdate(pool, update, { state: 'new', waitSeconds: 60, error: 'The platform is away.' });
  expect(await takeUpdates(pool, other, 10, 60)).toEqual([]);

  await declareDead(dying);
  expect(await takeUpdates(pool, other, 10, 60)).toMatchObject([{ remoteId: 'handled', tries: 2 }]);
});
