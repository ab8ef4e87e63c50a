import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { DelegationLimits } from '#domain/delegation/delegation.ts';
import { type ItemId, newId, type ReplicaId } from '#domain/ids.ts';
import { text } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { repairTrees } from '#store/system/trees/repair-trees.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { connectEngine } from '../engine-connection.ts';
import { acceptTurns } from './accept.ts';
import { claimTurns } from './claim.ts';
import { listUndelivered, type NewChild, parkTurn, startChild } from './delegations.ts';
import { settleTurns } from './settle.ts';
import { readClaimedTurns } from './turn-context.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: ReturnType<typeof connectEngine>;
const self = newId<ReplicaId>();

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = connectEngine(database.connection, () => {});
  await pool.query('insert into replicas (id, seen_at) values ($1, now())', [self]);
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const LIMITS: DelegationLimits = { depth: 1, active: 6, perRun: 20, perTree: 50, tokensPerChild: 1000 };
const request = { model: null, temperature: null, tools: [], echo: {} };
const message = () =>
  ({ id: newId<ItemId>(), type: 'message', role: 'user', content: [text('hello')], status: 'completed' }) as const;

async function begin(): Promise<Turn> {
  const input = { turnId: newId<Turn['id']>(), threadId: newId<Turn['threadId']>(), isNew: true, userId: 'ann' };
  const [accepted] = await acceptTurns(pool, self, 100, [
    { ...input, channel: 'gateway', request, items: [message()] },
  ]);
  if (accepted?.outcome !== 'accepted' || !accepted.claimed) throw new Error('The turn does not run.');
  return accepted.claimed.turn;
}

const childOf = (): NewChild => ({
  call: newId(),
  threadId: newId(),
  turnId: newId(),
  request,
  items: [message()],
  opening: 'hello',
  tokens: null,
});

const start = (turn: Turn, child = childOf(), left: number | null = null) =>
  startChild(pool, self, turn, child, { limits: LIMITS, left: { tokens: left, usd: null } });

const EVERYTHING = { most: 100, held: new Map<string, number>() };

/** Runs a waiting child to its end. */
async function finish(child: NewChild): Promise<void> {
  await claimTurns(pool, self, 100, EVERYTHING);
  const [claimed] = await readClaimedTurns(pool, self, [child.turnId]);
  if (!claimed) throw new Error('The child does not run.');
  expect(claimed.turn.child).toMatchObject({ call: child.call, depth: 1 });
  const usage = { ...NO_USAGE, inputTokens: 5, outputTokens: 2 };
  const ending = { turn: claimed.turn, usage, grows: 0, last: { position: 1, items: [] }, calls: [] };
  await settleTurns(pool, self, 100, [{ ...ending, outcome: { status: 'completed' } }]);
}

test('a child starts once for its call, and only for an attempt that runs and is not being cancelled', async () => {
  const turn = await begin();
  const child = childOf();
  expect(await start({ ...turn, attempt: turn.attempt + 1 }, child)).toBe('lost');
  expect(await start(turn, child)).toBe('started');
  expect(await start(turn, child)).toBe('known');
  expect(await listUndelivered(pool, turn)).toMatchObject([{ call: child.call, state: 'active' }]);

  await pool.query(`update turns set cancel_reason = 'cancelled' where id = $1`, [turn.id]);
  expect(await start(turn)).toBe('cancelled');
  await finish(child);
});

test('a child gets at most half of what its run has left, less what the others hold, and what they do not use returns', async () => {
  const turn = await begin();
  const [first, second, third] = [childOf(), childOf(), childOf()];
  const limitOf = async ({ call }: NewChild) =>
    (
      await pool.query<{ limit: number }>('select tokens_limit::integer as limit from delegations where call = $1', [
        call,
      ])
    ).rows[0]?.limit;
  expect(await start(turn, first, 400)).toBe('started');
  expect(await start(turn, second, 400)).toBe('started');
  expect([await limitOf(first), await limitOf(second)]).toEqual([200, 100]);
  expect(await start(turn, { ...childOf(), tokens: 500 }, 300)).toBe('budget');

  await finish(first);
  expect(await start(turn, { ...third, tokens: 500 }, 400)).toBe('started');
  expect(await limitOf(third)).toBe(400 - 7 - 100);
  await finish(second);
  await finish(third);
});

test('a turn is parked while a child works, and woken by the end of the last one, in either order', async () => {
  const turn = await begin();
  const child = childOf();
  await start(turn, child);
  expect(await parkTurn(pool, self, turn)).toBe('parked');
  expect(await parkTurn(pool, self, turn)).toBe('lost');
  expect(await claimTurns(pool, self, 0, EVERYTHING, [turn.id])).toEqual([]);
  const wake = async () =>
    (await pool.query<{ woken: boolean }>('select wake_parent($1) as woken', [turn.id])).rows[0]?.woken;
  expect(await wake()).toBe(false);
  await finish(child);
  expect(await wake()).toBe(true);
  expect(await claimTurns(pool, self, 100, EVERYTHING)).toContain(turn.id);

  const late = await begin();
  const early = childOf();
  await start(late, early);
  await finish(early);
  expect(await parkTurn(pool, self, late)).toBe('ready');
  expect(await claimTurns(pool, self, 100, EVERYTHING)).toEqual([late.id]);
});

test('a replica of the version before takes no turn of a tree, and does not lose one', async () => {
  const turn = await begin();
  const child = childOf();
  await start(turn, child);
  await parkTurn(pool, self, turn);
  const older = async () =>
    (await pool.query<{ id: string }>(`select claim_turns($1, 100, '{}', 100, '{}', '{}') as id`, [self])).rows;
  expect(await older()).toEqual([]);
  await finish(child);
  await pool.query('select wake_parent($1)', [turn.id]);
  expect(await older()).toEqual([]);
  expect(await claimTurns(pool, self, 100, EVERYTHING)).toEqual([turn.id]);
});

test('a run that starts its first child in a later turn is a tree from then on', async () => {
  const first = await begin();
  const insertNext = async (seq: number): Promise<Turn> => {
    const id = newId<Turn['id']>();
    await pool.query(
      `insert into turns (id, thread_id, user_id, seq, channel, request, status, run, runner, attempt)
       select $1, thread_id, user_id, $2, channel, request, 'running', id, $3, 0 from turns where id = $4`,
      [id, seq, self, first.id],
    );
    return { ...first, id, seq, run: first.id };
  };
  const second = await insertNext(2);
  const child = childOf();
  expect(await start(second, child)).toBe('started');
  const third = await insertNext(3);
  const { rows } = await pool.query<{ tree: string }>('select tree from turns where id = any($1::uuid[])', [
    [first.id, second.id, third.id, child.turnId],
  ]);
  expect(rows.map(({ tree }) => tree)).toEqual(Array.from({ length: 4 }, () => first.id));
  await finish(child);
});

test('a locked turn holds up no other turn of a tree that may continue', async () => {
  const parents = [await begin(), await begin()] as const;
  for (const turn of parents) {
    const child = childOf();
    await start(turn, child);
    await parkTurn(pool, self, turn);
    await finish(child);
  }
  const [locked, free] = parents;
  const client = await database.everything.connect();
  onTestFinished(() => client.release());
  await client.query('begin');
  await client.query('select from turns where id = $1 for update', [locked.id]);

  const [repaired] = await Promise.allSettled([repairTrees(pool)]);
  await client.query('rollback');
  expect(repaired).toMatchObject({ value: { woken: 1 } });
  expect(await claimTurns(pool, self, 100, EVERYTHING)).toEqual([free.id]);
  expect((await repairTrees(pool)).woken).toBe(1);
  expect(await claimTurns(pool, self, 100, EVERYTHING)).toEqual([locked.id]);
});

test('a child is lost only with the last turn of its run', async () => {
  const parent = await begin();
  const child = childOf();
  await start(parent, child);
  const [later, gate] = [newId(), newId()];
  const query = (statement: string, values: unknown[]) => database.everything.query(statement, values);
  await query(`update turns set status = 'waiting', ready_at = null, ended_at = now() where id = $1`, [child.turnId]);
  await query(
    `insert into turns (id, thread_id, user_id, seq, channel, request, status, run, tree, ended_at)
     select $2, thread_id, user_id, seq + 1, channel, request, 'waiting', id, tree, now() from turns where id = $1`,
    [child.turnId, later],
  );
  await query(
    `insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call)
     select $2, thread_id, id, seq, user_id, 'approval', '{}' from turns where id = $1`,
    [later, gate],
  );
  const stateOf = async () =>
    (await query('select state, outcome from delegations where child_run = $1', [child.turnId])).rows[0] as unknown;

  await query('delete from turns where id = $1', [child.turnId]);
  expect(await stateOf()).toEqual({ state: 'waiting', outcome: null });
  await query('delete from gates where id = $1', [gate]);
  await query('delete from turns where id = $1', [later]);
  expect(await stateOf()).toEqual({ state: 'ended', outcome: 'deleted' });
});
