import type pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { deleteMoved } from '#cells/delete-moved.ts';
import { type ItemId, newId, type ReplicaId, type ThreadId, type TurnId } from '#domain/ids.ts';
import { text, type WrittenItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { withOwner } from '#store/connection.ts';
import { deleteThread, lockThread } from '#store/threads/threads.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { connectEngine } from '../engine-connection.ts';
import { moveStrandedTurns } from '../presence/heartbeat.ts';
import { type Accepted, type Accepting, acceptTurns } from './accept.ts';
import { appendItems } from './append.ts';
import { claimTurns } from './claim.ts';
import { repairTimes } from './repair-times.ts';
import { settleTurns } from './settle.ts';
import { type ClaimedTurn, readClaimedTurns, readContexts, readLargeHistory } from './turn-context.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: ReturnType<typeof connectEngine>;
let self: ReplicaId;

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = connectEngine(database.connection, () => {});
  self = await addReplica();
});

afterAll(async () => {
  await pool.end();
  await database.close();
});

async function addReplica(): Promise<ReplicaId> {
  const id = newId<ReplicaId>();
  await pool.query('insert into replicas (id, seen_at) values ($1, now())', [id]);
  return id;
}

const message = (words = 'hello') =>
  ({ id: newId<ItemId>(), type: 'message', role: 'user', content: [text(words)], status: 'completed' }) as const;

function input(more: Partial<Accepting> = {}): Accepting {
  return {
    turnId: newId(),
    threadId: more.threadId ?? newId(),
    isNew: more.threadId === undefined,
    userId: 'ann',
    channel: 'responses',
    request: { model: null, temperature: null, tools: [], echo: {} },
    items: [message()],
    ...more,
  };
}

const accept = (inputs: readonly Accepting[], { room = 100, by = self } = {}) => acceptTurns(pool, by, room, inputs);
const outcomes = (accepted: readonly Accepted[]) =>
  accepted.map((each) =>
    each.outcome === 'accepted' ? (each.claimed ? 'running' : each.waits ? 'waits' : 'queued') : each.outcome,
  );

const NO_SHARES = { most: 100, held: new Map<string, number>() };

async function begin(more: Partial<Accepting> = {}): Promise<ClaimedTurn> {
  const [accepted] = await accept([input(more)]);
  if (accepted?.outcome !== 'accepted' || !accepted.claimed) throw new Error('The turn does not run.');
  return accepted.claimed;
}

const answer = (words: string): WrittenItem => ({
  id: newId(),
  type: 'message',
  role: 'assistant',
  content: [text(words)],
  status: 'completed',
  usage: NO_USAGE,
  started: false,
});
const CALL = { provider: 'p', model: 'm', usage: { ...NO_USAGE, inputTokens: 3 }, milliseconds: 1, failed: false };

const settle = ({ turn }: ClaimedTurn, { items = [answer('hi')], room = 100, by = self, position = 1 } = {}) =>
  settleTurns(pool, by, room, [
    { turn, outcome: { status: 'completed' }, usage: NO_USAGE, grows: 0, last: { position, items }, calls: [CALL] },
  ]).then(([settled]) => settled);

const rows = async <T extends pg.QueryResultRow>(statement: string, values: unknown[]) =>
  (await database.everything.query<T>(statement, values)).rows;
const positions = async (threadId: ThreadId) =>
  (
    await rows<{ position: string }>(
      `select turn_seq || '.' || position as position from items where thread_id = $1 order by turn_seq, position`,
      [threadId],
    )
  ).map(({ position }) => position);
const tokensOf = async (userId: string) =>
  Number(
    (
      await rows<{ sum: string }>('select coalesce(sum(input_tokens), 0) as sum from usage_days where user_id = $1', [
        userId,
      ])
    )[0]?.sum,
  );

test('of two messages for a free thread in one call, the first runs at once and the second is queued', async () => {
  const { turn } = await begin();
  await settle({ turn, suspicion: 'none', broken: 0 });
  const batch = [input({ threadId: turn.threadId }), input({ threadId: turn.threadId })];

  expect(outcomes(await accept(batch))).toEqual(['running', 'queued']);
  expect(await positions(turn.threadId)).toEqual(['1.0', '1.1', '2.0', '3.0']);
});

test('an accepted turn comes with its history, the new message last', async () => {
  const { turn } = await begin();
  await settle({ turn, suspicion: 'none', broken: 0 });
  const { context } = await begin({ threadId: turn.threadId, items: [message('again')] });

  const words = context?.history?.map((item) => (item.type === 'message' ? item.content : []));
  expect(words).toEqual([[text('hello')], [text('hi')], [text('again')]]);
});

test('no turn reads a table whole, not even while the tables are small and have no statistics', async () => {
  const scans = async () => {
    await Promise.all(Array.from({ length: 20 }, () => pool.query('select pg_stat_force_next_flush()')));
    return rows<{ table: string; scans: string }>(
      `select relname as table, seq_scan as scans from pg_stat_user_tables
       where relname in ('threads', 'turns', 'items', 'gates', 'jobs', 'summaries') order by relname`,
      [],
    );
  };
  const { turn } = await begin();
  await settle({ turn, suspicion: 'none', broken: 0 });
  const before = await scans();
  for (let turns = 0; turns < 10; turns++) {
    const next = await begin({ threadId: turn.threadId });
    await settle({ turn: next.turn, suspicion: 'none', broken: 0 });
  }

  expect(await scans()).toEqual(before);
});

test('without room a turn waits for a replica, and the next replica with room claims it', async () => {
  const waiting = input();
  expect(outcomes(await accept([waiting], { room: 0 }))).toEqual(['waits']);

  const peer = await addReplica();
  expect(await claimTurns(pool, peer, 10, NO_SHARES)).toContain(waiting.turnId);
  const claimed = await readClaimedTurns(pool, peer, [waiting.turnId]);
  expect(claimed[0]).toMatchObject({ turn: { attempt: 0 }, suspicion: 'none' });
});

test('the room is shared equally between the users who wait, and those who hold places already get fewer', async () => {
  const waiting = ['greedy', 'greedy', 'greedy', 'greedy', 'modest', 'modest', 'other'].map((userId) =>
    input({ userId }),
  );
  for (const each of waiting) await accept([each], { room: 0 });
  const claim = async (room: number, most: number, held: Record<string, number>) => {
    const ids = await claimTurns(pool, self, room, { most, held: new Map(Object.entries(held)) });
    return waiting.flatMap(({ turnId, userId }) => (ids.includes(turnId) ? userId : []));
  };

  expect(await claim(4, 100, { modest: 1 })).toEqual(['greedy', 'greedy', 'modest', 'other']);
  expect(await claim(4, 3, { greedy: 2, modest: 3 })).toEqual(['greedy']);
  expect(await claim(4, 100, {})).toEqual(['greedy', 'modest']);
});

test('an input does not overtake the turns that wait for a replica, even if there is room', async () => {
  const [first, second] = [input(), input({ userId: 'bob' })];
  await accept([first], { room: 0 });

  expect(outcomes(await accept([second]))).toEqual(['waits']);
  expect(await claimTurns(pool, self, 10, NO_SHARES)).toEqual(expect.arrayContaining([first.turnId, second.turnId]));
});

test("another user's thread is unknown, and nothing is written to it", async () => {
  const { turn } = await begin({ userId: 'bob' });

  expect(outcomes(await accept([input({ threadId: turn.threadId, userId: 'ann' })]))).toEqual(['unknown']);
  expect(await positions(turn.threadId)).toEqual(['1.0']);
});

test('a previous turn of another thread makes the thread unknown', async () => {
  const [one, other] = [await begin(), await begin()];
  const ask = (after: TurnId) => accept([input({ threadId: one.turn.threadId, after })]);

  expect(outcomes(await ask(other.turn.id))).toEqual(['unknown']);
  expect(outcomes(await ask(one.turn.id))).toEqual(['queued']);
});

test('an input that is sent twice is accepted once', async () => {
  const sent = input();

  expect(outcomes([...(await accept([sent])), ...(await accept([sent]))])).toEqual(['running', 'known']);
  expect(await positions(sent.threadId)).toEqual(['1.0']);
});

test('an idempotency key identifies one turn, also within one call, and only if the turn was accepted', async () => {
  const keyed = (key: string, more: Partial<Accepting> = {}) => input({ idempotency: { key, digest: 'd' }, ...more });
  const [first, second] = [keyed('k'), keyed('k')];

  const accepted = await accept([first, second]);
  expect(outcomes(accepted)).toEqual(['running', 'repeated']);
  expect(accepted[1]).toEqual({ outcome: 'repeated', turnId: first.turnId, digest: 'd' });
  expect(outcomes(await accept([keyed('k')]))).toEqual(['repeated']);

  const unknown = { threadId: newId<ThreadId>(), isNew: false };
  expect(outcomes(await accept([keyed('other', unknown), keyed('other', unknown)]))).toEqual(['unknown', 'unknown']);
  const another = input({ idempotency: { key: 'other', digest: 'of another body' } });
  expect(outcomes(await accept([keyed('other', unknown), another]))).toEqual(['unknown', 'running']);
  expect(await accept([keyed('other')])).toMatchObject([{ outcome: 'repeated', digest: 'of another body' }]);
});

test('a locked thread is busy and does not delay the others of its call', async () => {
  const { turn } = await begin();
  const client = await database.everything.connect();
  await client.query('begin');
  await client.query('select from threads where id = $1 for no key update', [turn.threadId]);

  expect(outcomes(await accept([input({ threadId: turn.threadId }), input()]))).toEqual(['busy', 'running']);
  await client.query('rollback');
  client.release();
});

test('a thread over its size limit accepts no more messages', async () => {
  const { turn } = await begin();
  await pool.query('update threads set bytes = 300000000 where id = $1', [turn.threadId]);

  expect(outcomes(await accept([input({ threadId: turn.threadId })]))).toEqual(['large']);
});

test('a replica that was declared dead accepts nothing', async () => {
  await expect(accept([input()], { by: newId() })).rejects.toMatchObject({ code: 'RB001' });
});

test('items that are sent twice are written and counted once', async () => {
  const { turn } = await begin({ userId: 'twice' });
  const sent = { turn, position: 1, items: [answer('one')], call: CALL };

  expect(await appendItems(pool, self, [sent])).toEqual(['written']);
  expect(await appendItems(pool, self, [sent])).toEqual(['written']);
  expect(await positions(turn.threadId)).toEqual(['1.0', '1.1']);
  expect(await tokensOf('twice')).toBe(3);
});

test('model calls without items are counted once, even if each is sent several times', async () => {
  const { turn } = await begin({ userId: 'tools' });
  const sent = [newId(), newId()].map((callId) => ({ turn, position: 1, items: [], call: CALL, callId }));
  const [first, second] = sent;

  expect(await appendItems(pool, self, sent)).toEqual(['written', 'written']);
  expect(
    await appendItems(
      pool,
      self,
      [first, second, first].filter((each) => each !== undefined),
    ),
  ).toEqual(['written', 'written', 'written']);
  expect(await tokensOf('tools')).toBe(6);
  expect(await appendItems(pool, self, [{ turn, position: 1, items: [answer('one')], call: CALL }])).toEqual([
    'written',
  ]);
  expect(await tokensOf('tools')).toBe(9);
});

test('only the attempt and replica that run the turn can write items, and never after a gap', async () => {
  const { turn } = await begin();
  const append = (by: ReplicaId, attempt: number, position: number) =>
    appendItems(pool, by, [{ turn: { ...turn, attempt }, position, items: [answer('x')], call: CALL }]);

  expect(await append(await addReplica(), 0, 1)).toEqual(['lost']);
  expect(await append(self, 1, 1)).toEqual(['lost']);
  expect(await append(self, 0, 2)).toEqual(['lost']);
  expect(await append(self, 0, 1)).toEqual(['written']);
});

const DELETIONS: Record<string, (turn: Turn) => Promise<unknown>> = {
  'by its owner': (turn) =>
    withOwner(database.db, turn, async (trx) => {
      await lockThread(trx, turn, turn.threadId);
      await deleteThread(trx, turn, turn.threadId);
    }),
  'by an erasure': async ({ userId }) => {
    const id = newId();
    await pool.query(`insert into erasures (id, subject, requested_by) values ($1, $2, 'operator')`, [id, userId]);
    await pool.query('select erase_threads($1, $2, 10, 1000000)', [id, userId]);
  },
  'after a move': async ({ userId }) => {
    const client = await database.everything.connect();
    await deleteMoved(client, userId, newId()).finally(() => client.release());
  },
};

test.each(Object.keys(DELETIONS))(
  'a thread that is deleted %s waits for an append, which never waits for it',
  async (by) => {
    const { turn } = await begin({ userId: by });
    const append = await database.everything.connect();
    onTestFinished(() => append.release(true));
    await append.query('begin');
    await append.query('select from turns where id = $1 for no key update', [turn.id]);
    const deletion = DELETIONS[by]?.(turn);
    await waitFor('the deletion to wait', async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await rows(waiting, [])).length > 0;
    });
    await append.query(`set local lock_timeout = '100ms'`);
    await append.query(
      `insert into item_texts (item_id, thread_id, user_id, role, text, words) values (gen_random_uuid(), $1, $2, 'user', '', '')`,
      [turn.threadId, by],
    );
    await append.query('commit');

    await deletion;
    expect(await rows('select from threads where id = $1', [turn.threadId])).toEqual([]);
  },
);

test('a turn ends with its last items, and the next turn of its thread starts at once', async () => {
  const claimed = await begin({ userId: 'ends' });
  const next = input({ threadId: claimed.turn.threadId, userId: 'ends' });
  await accept([next]);
  const items = [answer('bye')];

  expect(await settle(claimed, { items })).toMatchObject({ outcome: 'ended', next: next.turnId, waits: false });
  expect(await settle(claimed, { items })).toMatchObject({ outcome: 'ended' });
  expect(await positions(claimed.turn.threadId)).toEqual(['1.0', '1.1', '2.0']);
  expect(await tokensOf('ends')).toBe(3);
  const [row] = await readClaimedTurns(pool, self, [next.turnId]);
  expect(row?.turn).toMatchObject({ status: 'running', attempt: 0 });
});

test('a prompt has the shown line, and no summary that covers a hidden turn', async () => {
  const first = await begin({ userId: 'branches' });
  const { threadId } = first.turn;
  await settle(first);
  for (const content of ['two', 'three', 'four'])
    await settle(await begin({ threadId, userId: 'branches', items: [message(content)] }));
  await pool.query('update turns set hidden = true where thread_id = $1 and seq in (2, 3)', [threadId]);
  const summarise = `
    insert into summaries (thread_id, through_seq, through_position, user_id, turn_seq, turn_id, text, provider, model, usage)
    select thread_id, seq, 1, user_id, 3, id, 'through ' || seq, 'p', 'm', '{}' from turns where thread_id = $1 and seq = $2`;
  const read = async () => {
    const [context] = await readContexts(pool, [{ ...first.turn, seq: 4 }]);
    const { items: large } = await readLargeHistory(pool, { ...first.turn, seq: 4 });
    const seqs = (items: readonly { turnSeq: number }[] = []) => [...new Set(items.map(({ turnSeq }) => turnSeq))];
    return { summary: context?.summary?.text, history: seqs(context?.history ?? []), large: seqs(large) };
  };
  await pool.query(summarise, [threadId, 2]);
  expect(await read()).toEqual({ summary: undefined, history: [1, 4], large: [1, 4] });
  await pool.query(summarise, [threadId, 1]);
  expect(await read()).toEqual({ summary: 'through 1', history: [1, 4], large: [1, 4] });
  await pool.query('update turns set hidden = not hidden where thread_id = $1 and seq > 1', [threadId]);
  expect(await read()).toMatchObject({ summary: 'through 2', history: [2, 3] });
});

test('the turns of a dead replica are moved, and its late writes are refused', async () => {
  const gone = await addReplica();
  const [accepted] = await accept([input()], { by: gone });
  if (accepted?.outcome !== 'accepted' || !accepted.claimed) throw new Error('The turn does not run.');
  const { turn } = accepted.claimed;
  await pool.query('delete from replicas where id = $1', [gone]);

  expect(await moveStrandedTurns(pool, self)).toBeGreaterThan(0);
  expect(await claimTurns(pool, self, 10, NO_SHARES)).toContain(turn.id);
  expect(await appendItems(pool, gone, [{ turn, position: 1, items: [answer('late')], call: null }])).toEqual(['lost']);
  expect(await settle(accepted.claimed, { by: gone })).toEqual({ outcome: 'lost' });
  await expect(accept([input()], { by: gone })).rejects.toMatchObject({ code: 'RB001' });
});

test('turns from before the clock was set back are ready at once when they are moved', async () => {
  const { turn } = await begin();
  const [queued] = await accept([input({ threadId: turn.threadId })]);
  const other = await addReplica();
  const [lost] = await accept([input()], { by: other });
  if (queued?.outcome !== 'accepted' || lost?.outcome !== 'accepted') throw new Error('Not accepted.');
  await pool.query(`update turns set created_at = now() + interval '10 minutes' where id = any($1)`, [
    [queued.turn.id, lost.turn.id],
  ]);

  await settle({ turn, suspicion: 'none', broken: 0 }, { room: 0 });
  await pool.query('delete from replicas where id = $1', [other]);
  await moveStrandedTurns(pool, self);
  const claimed = await claimTurns(pool, self, 10, NO_SHARES);
  expect(claimed).toEqual(expect.arrayContaining([queued.turn.id, lost.turn.id]));
});

test('times too far ahead become due now, except for users who move to another cell', async () => {
  const [ahead, parked] = [input(), input()];
  await accept([ahead, parked], { room: 0 });
  await pool.query(`update turns set ready_at = now() + interval '10 minutes' where id = $1`, [ahead.turnId]);
  await pool.query(`update turns set ready_at = 'infinity' where id = $1`, [parked.turnId]);
  const dead = await addReplica();
  await pool.query(`update replicas set seen_at = now() + interval '10 minutes' where id = $1`, [dead]);

  await repairTimes(pool);
  expect(await claimTurns(pool, self, 10, NO_SHARES)).toEqual([ahead.turnId]);
  expect(await rows('select seen_at <= now() as past from replicas where id = $1', [dead])).toEqual([{ past: true }]);
});

test('a replica whose own lease looks expired declares no other replica dead: the clock was set ahead', async () => {
  const [judge, peer] = [await addReplica(), await addReplica()];
  const isThere = async () => (await rows('select from replicas where id = $1', [peer])).length === 1;
  await pool.query(`update replicas set seen_at = now() - interval '30 seconds' where id = any($1)`, [[judge, peer]]);

  await moveStrandedTurns(pool, judge);
  expect(await isThere()).toBe(true);
  await pool.query('update replicas set seen_at = now() where id = $1', [judge]);
  await moveStrandedTurns(pool, judge, false);
  expect(await isThere()).toBe(true);
  await moveStrandedTurns(pool, judge);
  expect(await isThere()).toBe(false);
});
