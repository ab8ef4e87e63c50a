import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { joinCell } from '#domain/cell/cell.ts';
import { type ItemId, newId, type ReplicaId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import { text } from '#domain/thread/item.ts';
import type { Engine } from '#engine/engine.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { acceptTurns } from '#engine/statements/accept.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { startEndingOverdueTurns } from './end-overdue-turns.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: ReturnType<typeof connectEngine>;

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = connectEngine(database.connection, () => {});
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const say = async (userId: UserId) => {
  const request = { timeoutMs: 1, model: null, temperature: null, tools: [], echo: {} };
  const item = { type: 'message', role: 'user', content: [text('hello')], status: 'completed' } as const;
  const input = {
    turnId: newId<never>(),
    threadId: newId<never>(),
    isNew: true,
    userId,
    channel: 'responses',
  } as const;
  await acceptTurns(pool, newId<ReplicaId>(), 0, [{ ...input, request, items: [{ id: newId<ItemId>(), ...item }] }]);
};

test('the turns of a user who moves to another cell hold up the end of no other', async () => {
  await say('ann'); // the older one
  await say('ben');
  await pool.query(`update turns set created_at = now() - interval '1 minute'`);
  await pool.query(`insert into user_moves (id, subject, cell, state) values ($1, 'ann', 2, 'leaving')`, [newId()]);
  joinCell(1);
  onTestFinished(() => joinCell(undefined));
  let look = async (): Promise<void> => {};
  const engine = {
    system: pool,
    notifyEnded: () => {},
    notifyThread: () => {},
    startLeaderTask: (_task: string, _everyMs: number, act: () => Promise<void>) => {
      look = act;
      return { stop: async () => {} };
    },
  };
  startEndingOverdueTurns(database.db, engine as unknown as Engine);

  await expect(look()).rejects.toMatchObject({ code: 'RB002' });

  const { rows } = await pool.query('select user_id, status from turns order by user_id');
  expect(rows).toEqual([
    { user_id: 'ann', status: 'queued' },
    { user_id: 'ben', status: 'failed' },
  ]);
});
