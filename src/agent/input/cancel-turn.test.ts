import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ItemId, newId, type ReplicaId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { text } from '#domain/thread/item.ts';
import type { Engine } from '#engine/engine.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { acceptTurns } from '#engine/statements/accept.ts';
import { type NewChild, startChild } from '#engine/statements/delegations.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { stopChild } from './cancel-turn.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: ReturnType<typeof connectEngine>;
const self = newId<ReplicaId>();
const ann: Principal = { userId: 'ann', role: 'member' };

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = connectEngine(database.connection, () => {});
  await pool.query('insert into replicas (id, seen_at) values ($1, now())', [self]);
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const request = { model: null, temperature: null, tools: [], echo: {} };
const items = () => [
  { id: newId<ItemId>(), type: 'message', role: 'user', content: [text('hello')], status: 'completed' } as const,
];

async function startSubagent(): Promise<NewChild> {
  const input = { turnId: newId<never>(), threadId: newId<never>(), isNew: true, userId: 'ann', request } as const;
  const [accepted] = await acceptTurns(pool, self, 100, [{ ...input, channel: 'gateway', items: items() }]);
  if (accepted?.outcome !== 'accepted' || !accepted.claimed) throw new Error('The turn does not run.');
  const ids = { call: newId<never>(), threadId: newId<never>(), turnId: newId<never>() };
  const child: NewChild = { ...ids, request, items: items(), opening: 'hello', tokens: null };
  const limits = { depth: 1, active: 6, perRun: 20, perTree: 50, tokensPerChild: 1000 };
  await startChild(pool, self, accepted.claimed.turn, child, { limits, left: { tokens: null, usd: null } });
  return child;
}

test('stops a subagent although its run continues with a message at that moment', async () => {
  const child = await startSubagent();
  const client = await database.everything.connect();
  onTestFinished(() => client.release());
  await client.query('begin');
  await client.query('select from threads where id = $1 for no key update', [child.threadId]);
  const engine = { system: pool, wake: () => {}, notifyEnded: () => {}, notifyThread: () => {} };
  const stopping = stopChild(database.db, engine as unknown as Engine, ann, child.call);
  await waitFor('the stop to wait for the thread', async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await pool.query(waiting)).rows.length > 0;
  });
  const next = newId();
  await client.query(
    `update turns set status = 'incomplete', steered_by = $2, ended_at = now(), ready_at = null where id = $1`,
    [child.turnId, next],
  );
  await client.query(
    `insert into turns (id, thread_id, user_id, seq, channel, request, status, run, ready_at)
     select $2, thread_id, user_id, 2, channel, request, 'queued', id, now() from turns where id = $1`,
    [child.turnId, next],
  );
  await client.query('update threads set active = $2 where id = $1', [child.threadId, next]);
  await client.query('commit');
  await stopping;

  const { rows } = await pool.query('select state, outcome from delegations where call = $1', [child.call]);
  expect(rows).toEqual([{ state: 'ended', outcome: 'cancelled' }]);
});
