import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type GateId,
  type ItemId,
  type MissionId,
  newId,
  type ReplicaId,
  type ThreadId,
  type TurnId,
} from '#domain/ids.ts';
import { text } from '#domain/thread/item.ts';
import type { TurnOutcome } from '#domain/thread/turn.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { connectEngine } from '../engine-connection.ts';
import { type Accepting, acceptTurns } from './accept.ts';
import { settleTurns } from './settle.ts';
import { type ClaimedTurn, readClaimedTurns } from './turn-context.ts';

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

async function accept(threadId: ThreadId | undefined, more: Partial<Accepting> = {}) {
  const input: Accepting = {
    turnId: newId(),
    threadId: threadId ?? newId(),
    isNew: threadId === undefined,
    userId: 'ann',
    channel: 'gateway',
    request: { model: null, temperature: null, tools: [], echo: {} },
    items: [{ id: newId<ItemId>(), type: 'message', role: 'user', content: [text('hello')], status: 'completed' }],
    ...more,
  };
  const [accepted] = await acceptTurns(pool, self, 100, [input]);
  return accepted;
}

async function place(threadId: ThreadId, more: Partial<Accepting> = {}) {
  const accepted = await accept(threadId, more);
  if (accepted?.outcome !== 'accepted') throw new Error(`Not accepted: ${accepted?.outcome}.`);
  return accepted;
}

async function begin(more: Partial<Accepting> = {}): Promise<ClaimedTurn & { threadId: ThreadId }> {
  const accepted = await accept(undefined, more);
  if (accepted?.outcome !== 'accepted' || !accepted.claimed) throw new Error('The turn does not run.');
  return { ...accepted.claimed, threadId: accepted.turn.threadId };
}

const STEERED = { status: 'incomplete', steered: true } as const;
const gate = (): TurnOutcome => ({
  status: 'waiting',
  gate: {
    id: newId<GateId>(),
    kind: 'approval',
    call: { id: newId<ItemId>(), type: 'function_call', external: false, callId: 'c', name: 'send', arguments: '{}' },
  },
});

async function settle({ turn }: ClaimedTurn, outcome: TurnOutcome, more: { yields?: boolean } = {}) {
  const usage = { ...NO_USAGE, inputTokens: 5 };
  const ending = { turn, outcome, usage, grows: 0, last: { position: 1, items: [] }, calls: [] };
  const whenSteered = more.yields ? { whenSteered: () => ending } : {};
  return (await settleTurns(pool, self, 100, [{ ...ending, ...whenSteered }]))[0];
}

const steersOf = async (threadId: ThreadId) =>
  (
    await pool.query<{ steers: string | null }>('select steers from turns where thread_id = $1 order by seq', [
      threadId,
    ])
  ).rows.map(({ steers }) => steers);

test('a message that steers is placed behind the running turn, and the messages before it steer too', async () => {
  const { turn, threadId } = await begin();

  expect((await place(threadId)).placed).toEqual({ type: 'queued', ahead: 1 });
  expect((await place(threadId, { whenBusy: 'queue' })).placed).toEqual({ type: 'queued', ahead: 2 });
  expect(await place(threadId, { whenBusy: 'steer' })).toMatchObject({
    placed: { type: 'steering' },
    steered: turn.id,
    turn: { steers: 'step' },
  });
  expect(await place(threadId, { whenBusy: 'now' })).toMatchObject({ placed: { type: 'steering' }, steered: turn.id });
  expect((await place(threadId)).placed).toEqual({ type: 'queued', ahead: 5 });
  expect(await steersOf(threadId)).toEqual([null, 'step', 'step', 'step', 'now', null]);
});

test('a message that asks to be refused while its thread is busy is not stored, and starts on an idle thread', async () => {
  const claimed = await begin();

  expect(await accept(claimed.threadId, { whenBusy: 'refuse' })).toEqual({ outcome: 'working' });
  await settle(claimed, { status: 'completed' });
  expect((await place(claimed.threadId, { whenBusy: 'refuse' })).placed).toEqual({ type: 'started' });
});

test('the preference of the user decides for a message that leaves it to them', async () => {
  const { threadId } = await begin();
  expect((await place(threadId, { whenBusy: 'preferred' })).placed).toEqual({ type: 'steering' });

  await pool.query(`insert into preferences (user_id, when_busy) values ('queuer', 'queue')`);
  const other = await begin({ userId: 'queuer' });
  const placed = await place(other.threadId, { whenBusy: 'preferred', userId: 'queuer' });
  expect(placed.placed).toEqual({ type: 'queued', ahead: 1 });
});

test.each<[string, Partial<Accepting>, string]>([
  ['a compaction', { request: { task: 'compaction', model: null, temperature: null, tools: [], echo: {} } }, ''],
  ['a turn that is to be cancelled', {}, `update turns set cancel_reason = 'cancelled' where thread_id = $1`],
])('%s is not steered: the message is queued', async (_, first, change) => {
  const { threadId } = await begin(first);
  if (change) await pool.query(change, [threadId]);

  for (const whenBusy of ['steer', 'now'] as const)
    expect(await place(threadId, { whenBusy })).toMatchObject({ placed: { type: 'queued' }, turn: { steers: null } });
});

test('a run of a mission that waits is not corrected by a message behind it', async () => {
  const { threadId } = await begin();
  await place(threadId, { channel: 'mission' });

  expect((await place(threadId, { whenBusy: 'steer' })).placed).toEqual({ type: 'queued', ahead: 2 });
  expect(await steersOf(threadId)).toEqual([null, null, null]);
});

test('the turn of the message continues with the run and the job of the turn that it steered', async () => {
  const first = await begin({ job: { conversationId: null, metadata: null, callbackUrl: null } });
  const next = await place(first.threadId, { whenBusy: 'steer' });

  const steered = await settle(first, STEERED);
  expect(steered).toMatchObject({ outcome: 'ended', next: next.turn.id, ending: { steeredBy: next.turn.id } });
  expect(await settle(first, STEERED)).toMatchObject({ outcome: 'ended', ending: { steeredBy: next.turn.id } });
  const [second] = await readClaimedTurns(pool, self, [next.turn.id]);
  expect(second).toMatchObject({ turn: { run: first.turn.id }, isSteered: false, usedBefore: [{ inputTokens: 5 }] });
  const last = await place(first.threadId, { whenBusy: 'steer' });
  expect((await readClaimedTurns(pool, self, [next.turn.id]))[0]?.isSteered).toBe(true);
  if (second) await settle(second, STEERED);

  const [third] = await readClaimedTurns(pool, self, [last.turn.id]);
  expect(third).toMatchObject({ turn: { run: first.turn.id }, usedBefore: [{ inputTokens: 5 }, { inputTokens: 5 }] });
  const jobs = () => pool.query('select turn_id, status from jobs where id = $1', [first.turn.id]);
  expect((await jobs()).rows).toEqual([{ turn_id: last.turn.id, status: 'running' }]);
  if (third) await settle(third, { status: 'completed' });
  expect((await jobs()).rows).toEqual([{ turn_id: last.turn.id, status: 'completed' }]);
});

test('a later turn of a run has the mission of the first one', async () => {
  const mission = { id: newId<MissionId>(), tools: ['memory_read'], tokensPerRun: 100 };
  const first = await begin({
    channel: 'mission',
    request: { model: null, temperature: null, tools: [], echo: {}, mission },
  });
  const next = await place(first.threadId, { whenBusy: 'now' });
  await settle(first, STEERED);

  const [second] = await readClaimedTurns(pool, self, [next.turn.id]);
  expect(second?.turn.request.mission).toEqual(mission);
});

test('a turn whose correction was withdrawn does not end', async () => {
  const claimed = await begin();
  const next = await place(claimed.threadId, { whenBusy: 'steer' });
  await pool.query(`update turns set status = 'cancelled' where id = $1`, [next.turn.id]);

  expect(await settle(claimed, STEERED)).toEqual({ outcome: 'unsteered' });
  expect(await settle(claimed, { status: 'completed' })).toMatchObject({ outcome: 'ended' });
});

test('no gate opens in front of a message that steers, and a message behind an open gate steers nothing', async () => {
  const claimed = await begin();
  await place(claimed.threadId, { whenBusy: 'steer' });
  expect(await settle(claimed, gate(), { yields: true })).toEqual({ outcome: 'steered' });

  // A replica of the version before opens it.
  expect(await settle(claimed, gate())).toMatchObject({ outcome: 'ended', waits: false });
  expect((await place(claimed.threadId, { whenBusy: 'now' })).placed).toEqual({ type: 'waits', gate: 'approval' });
  await pool.query('select number_after_gate($1, $2, 1)', [claimed.threadId, 'ann']);
  expect(await steersOf(claimed.threadId)).toEqual([null, null, null]);
});

test('a turn that is steered while no message waits behind its gate opens it', async () => {
  const claimed = await begin();
  expect(await settle(claimed, gate(), { yields: true })).toMatchObject({ outcome: 'ended' });
});

test('a turn that was cancelled opens no gate, and no message continues its run', async () => {
  const cancel = (id: TurnId) => pool.query(`update turns set cancel_reason = 'cancelled' where id = $1`, [id]);
  const asking = await begin();
  await cancel(asking.turn.id);
  expect(await settle(asking, gate(), { yields: true })).toEqual({ outcome: 'cancelled' });
  expect(await settle(asking, { status: 'cancelled' })).toMatchObject({ outcome: 'ended' });

  const claimed = await begin();
  await place(claimed.threadId, { whenBusy: 'now' });
  await cancel(claimed.turn.id);
  expect(await settle(claimed, STEERED)).toEqual({ outcome: 'unsteered' });
  expect(await settle(claimed, { status: 'cancelled' })).toMatchObject({ outcome: 'ended', next: expect.any(String) });
});
