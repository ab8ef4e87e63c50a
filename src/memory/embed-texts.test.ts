import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Embedder, EmbeddingFailure } from '#domain/embedder.ts';
import { withOwner } from '#store/connection.ts';
import { takeWaitingTexts } from '#store/search/embeddings.ts';
import { NOTES } from '#store/search/search-source.ts';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { embedTexts } from './embed-texts.ts';
import { createMemory, type Memory } from './memory.ts';

const ann = { userId: 'ann' };
/** Seconds that may pass between an attempt and the look at its wait. */
const A_SLOW_MINUTE = 60;
let server: Awaited<ReturnType<typeof openMigratedDatabase>>;
let memory: Memory;
let batches: string[][];

beforeAll(async () => {
  server = await openMigratedDatabase();
  memory = createMemory(server.db);
});

beforeEach(async () => {
  batches = [];
  await server.everything.query('truncate notes, note_words');
});

afterAll(() => server?.close());

/** An embedding model that may fail. */
const embedderOf = (act: (texts: readonly string[]) => void | Promise<void> = () => {}, model = 'm'): Embedder => ({
  model,
  embed: async (texts) => {
    batches.push([...texts]);
    await act(texts);
    return texts.map((text) => [text.length, -1, 3]);
  },
});
const embed = (embedder: Embedder) =>
  embedTexts(server.db, ann, {
    source: NOTES,
    embedder,
    signal: new AbortController().signal,
    pace: { firstWaitSeconds: 1000, longestWaitSeconds: 3000, timeoutMs: 200 },
  });
const rows = async () =>
  (
    await server.everything.query<{ path: string; model: string; attempts: number; wait: number; bits: string | null }>(
      `select path, embedding_model as model, embed_attempts as attempts, signature::text as bits,
         extract(epoch from embed_due_at - now())::float8 as wait from notes order by path`,
    )
  ).rows;

test('notes are embedded in batches, with their paths, and only once', async () => {
  for (let index = 0; index < 130; index++) await memory.write(ann, `n/${index}`, `text ${index}`);

  expect(await embed(embedderOf())).toBeUndefined();
  expect(batches.map((batch) => batch.length)).toEqual([64, 64, 2]);
  expect(new Set(batches.flat()).size).toBe(130);
  expect(batches.flat()).toContain('n/7\ntext 7');
  expect((await rows()).every(({ model, attempts, bits }) => model === 'm' && attempts === 0 && bits === '101')).toBe(
    true,
  );
  await embed(embedderOf());
  expect(batches).toHaveLength(3);
});

test('a changed text is embedded again, the same text is not, and another model embeds all', async () => {
  await memory.write(ann, 'a', 'one');
  await embed(embedderOf());
  await memory.write(ann, 'a', 'one');
  await embed(embedderOf());
  expect(batches).toEqual([['a\none']]);

  await memory.write(ann, 'a', 'two');
  expect(await rows()).toMatchObject([{ model: '', bits: null }]);
  await embed(embedderOf());
  await embed(embedderOf(undefined, 'other'));
  expect(batches.slice(1)).toEqual([['a\ntwo'], ['a\ntwo']]);
  expect(await rows()).toMatchObject([{ model: 'other' }]);
});

test('a vector is never stored for a text that was changed in the meantime', async () => {
  await memory.write(ann, 'a', 'old');
  let written = false;
  await embed(
    embedderOf(async () => {
      if (!written) await memory.write(ann, 'a', 'new');
      written = true;
    }),
  );
  expect(batches).toEqual([['a\nold'], ['a\nnew']]);
  expect(await rows()).toMatchObject([{ model: 'm' }]);
});

test('the vectors of some notes are stored while another transaction changes one of them', async () => {
  for (const path of ['a', 'b', 'c']) await memory.write(ann, path, 'one');
  const writer = await server.everything.connect();
  try {
    await writer.query(`set lock_timeout = '2s'`);
    await embed(
      embedderOf(async () => {
        await writer.query('begin');
        await writer.query(`update notes set origin = 'person' where path = 'b'`);
      }),
    );
    await writer.query(`update notes set origin = 'person'`);
    await writer.query('commit');
  } finally {
    writer.release(true);
  }
  expect((await rows()).map(({ path, model }) => [path, model])).toEqual([
    ['a', 'm'],
    ['b', ''],
    ['c', 'm'],
  ]);
});

test('after each failure of the model the wait doubles', async () => {
  await memory.write(ann, 'a', 'one');
  const down = embedderOf(() => {
    throw new EmbeddingFailure(false, 'Out for lunch.');
  });

  expect(await embed(down)).toMatchObject({ refused: false, message: 'Out for lunch.' });
  expect(await embed(down)).toBeUndefined();
  expect(batches).toHaveLength(1);
  const waits: number[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    waits.push((await rows())[0]?.wait ?? 0);
    await server.everything.query('update notes set embed_due_at = now()');
    await embed(down);
  }
  for (const [index, longest] of [1000, 2000, 3000].entries()) {
    expect(waits[index]).toBeLessThanOrEqual(longest);
    expect(waits[index]).toBeGreaterThan(longest * 0.8 - A_SLOW_MINUTE);
  }
});

test('a refused text does not delay the others', async () => {
  for (let index = 0; index < 20; index++) await memory.write(ann, `n/${index}`, index === 7 ? 'poison' : 'fine');
  const failure = await embed(
    embedderOf((texts) => {
      if (texts.some((text) => text.includes('poison'))) throw new EmbeddingFailure(true, 'Refused.');
    }),
  );

  expect(failure).toMatchObject({ refused: true });
  expect((await rows()).filter(({ model }) => model !== 'm')).toMatchObject([{ path: 'n/7' }]);
});

test('a zero vector counts as a refusal, and a model that never answers as a failure', async () => {
  await memory.write(ann, 'a', 'one');
  expect(await embed({ model: 'm', embed: async () => [[0, 0, 0]] })).toMatchObject({ refused: true });

  await server.everything.query('update notes set embed_due_at = now()');
  const silent: Embedder = {
    model: 'm',
    embed: (_texts, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  };
  expect(await embed(silent)).toMatchObject({ refused: false });
});

test('two replicas never take the same note, and neither takes more than its limit', async () => {
  for (let index = 0; index < 40; index++) await memory.write(ann, `n/${index}`, 'text');
  const other = server.connect();
  const take = { model: 'm', count: 15, leaseSeconds: 100 };
  const taken = await Promise.all(
    [server.db, other, server.db, other].map((db) =>
      withOwner(db, ann, (trx) => takeWaitingTexts(trx, ann, NOTES, take)),
    ),
  );
  await other.destroy();

  const paths = taken.flat().map(({ key }) => key);
  expect(new Set(paths).size).toBe(paths.length);
  expect(taken.every((batch) => batch.length <= 15)).toBe(true);
});
