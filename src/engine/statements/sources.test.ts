import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ItemId, newId, type ReplicaId } from '#domain/ids.ts';
import type { NumberedSource } from '#domain/search/source.ts';
import { text, type WrittenItem } from '#domain/thread/item.ts';
import { type OwnedTransaction, withOwner } from '#store/connection.ts';
import { deleteSources, listSources, readNumbers } from '#store/sources.ts';
import { forkThread } from '#store/threads/fork-thread.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { connectEngine } from '../engine-connection.ts';
import { acceptTurns } from './accept.ts';
import { appendItems } from './append.ts';

const ann = { userId: 'ann' };
const self = newId<ReplicaId>();
let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: ReturnType<typeof connectEngine>;

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = connectEngine(database.connection, () => {});
  await pool.query('insert into replicas (id, seen_at) values ($1, now())', [self]);
});

afterAll(async () => {
  await pool.end();
  await database.close();
});

const read = <T>(act: (trx: OwnedTransaction) => Promise<T>, owner = ann) => withOwner(database.db, owner, act);

const source = (number: number, words: string, more: Partial<NumberedSource> = {}): NumberedSource => ({
  number,
  url: `https://a.example/${number}`,
  title: `Page ${number}`,
  published: null,
  how: 'found',
  text: words,
  ...more,
});

async function begin() {
  const message = { id: newId<ItemId>(), type: 'message', role: 'user', content: [text('hi')] } as const;
  const request = { model: null, temperature: null, tools: [], echo: {} };
  const input = {
    turnId: newId(),
    threadId: newId(),
    isNew: true,
    userId: 'ann',
    channel: 'responses',
    request,
  } as const;
  const [accepted] = await acceptTurns(pool, self, 100, [
    { ...input, items: [{ ...message, status: 'completed' }] } as never,
  ]);
  if (accepted?.outcome !== 'accepted' || !accepted.claimed) throw new Error('The turn does not run.');
  return accepted.claimed.turn;
}

const output = (sources: readonly NumberedSource[]): WrittenItem => ({
  id: newId(),
  type: 'function_call_output',
  callId: 'call_1',
  output: [text('hits')],
  usage: null,
  started: false,
  sources,
});

test('an output is written with its sources, once, or neither is written', async () => {
  const turn = await begin();
  const item = output([source(1, 'a \0 hit'), source(1, 'the page', { how: 'read' }), source(2, 'b\ud800')]);
  const entry = { turn, items: [item], call: null };

  expect(await appendItems(pool, self, [{ ...entry, position: 5 }])).toEqual(['lost']);
  expect(await read((trx) => listSources(trx, ann, turn.threadId))).toEqual([]);
  expect(await appendItems(pool, self, [{ ...entry, position: 1 }])).toEqual(['written']);
  expect(await appendItems(pool, self, [{ ...entry, position: 1 }])).toEqual(['written']);

  const stored = await read((trx) => listSources(trx, ann, turn.threadId));
  expect(stored.map(({ number, how, text: words }) => [number, how, words])).toEqual([
    [1, 'found', 'a   hit'],
    [1, 'read', 'the page'],
    [2, 'found', 'b\ufffd'],
  ]);
  expect(stored[0]).toMatchObject({ turnId: turn.id, itemId: item.id, sha256: expect.stringMatching(/^[\da-f]{64}$/) });
  const { rows } = await pool.query<{ body: object }>('select body from items where id = $1', [item.id]);
  expect(rows[0]?.body).not.toHaveProperty('sources');
  expect(await read((trx) => listSources(trx, { userId: 'bob' }, turn.threadId), { userId: 'bob' })).toEqual([]);
});

test('the number of a deleted source is not given to another page', async () => {
  const turn = await begin();
  const [first, second] = [output([source(1, 'one')]), output([source(1, 'one again'), source(2, 'two')])];
  await appendItems(pool, self, [{ turn, position: 1, items: [first, second], call: null }]);

  await read((trx) => deleteSources(trx, ann, turn.threadId, [second.id]));
  const { numbers, highest } = await read((trx) => readNumbers(trx, ann, turn.threadId));
  expect([numbers.get('https://a.example/1'), numbers.get('https://a.example/2'), highest]).toEqual([1, undefined, 2]);
  expect((await read((trx) => listSources(trx, ann, turn.threadId))).map((each) => each.text)).toEqual(['one']);
});

test('a copy of a thread has the sources of the items that it has, by the same numbers', async () => {
  const turn = await begin();
  const [first, second] = [output([source(1, 'one')]), output([source(2, 'two')])];
  await appendItems(pool, self, [{ turn, position: 1, items: [first, second], call: null }]);

  const copy = await read((trx) => forkThread(trx, ann, turn.threadId, { turnSeq: 1, position: 2 }));
  expect(await read((trx) => listSources(trx, ann, copy))).toMatchObject([{ number: 1, text: 'one' }]);
});
