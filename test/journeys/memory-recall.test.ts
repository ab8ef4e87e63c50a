import { afterAll, beforeAll, expect, test } from 'vitest';
import { embedNotes } from '#memory/embed-notes.ts';
import { createMemory } from '#memory/memory.ts';
import { toUnitVector } from '#memory/unit-vector.ts';
import { createEmbedder } from '#models/create-embedder.ts';
import { withOwner } from '#store/connection.ts';
import { findByMeaning } from '#store/note-search.ts';
import notes from '../fixtures/memory/notes.json' with { type: 'json' };
import questions from '../fixtures/memory/questions.json' with { type: 'json' };
import { startEmbeddingModel } from '../support/embedding-model.ts';
import { openMigratedDatabase } from '../support/migrated-database.ts';

const ann = { userId: 'ann' };
let server: Awaited<ReturnType<typeof openMigratedDatabase>>;
let model: Awaited<ReturnType<typeof startEmbeddingModel>>;

beforeAll(async () => {
  [server, model] = await Promise.all([openMigratedDatabase(), startEmbeddingModel()]);
});

afterAll(async () => {
  await model?.close();
  await server?.close();
});

test('words and meanings together find what either of them finds', async () => {
  const { db } = server;
  const embedder = createEmbedder({ provider: 'openai', name: 'meanings', apiKey: 'k', baseUrl: model.url });
  const memory = createMemory(db, embedder);
  for (const { path, text } of notes) await memory.write(ann, path, text);
  expect(await embedNotes(db, ann, { embedder, signal: new AbortController().signal })).toBeUndefined();
  const { rows } = await server.everything.query('select from notes where embedding is null');
  expect(rows).toHaveLength(0);

  const byWords = (question: string) => createMemory(db).search(ann, question, 5);
  const byMeaning = async (question: string) => {
    const [vector = []] = await embedder.embed([question], new AbortController().signal);
    const nearest = { model: embedder.model, vector: toUnitVector(vector) ?? [] };
    const paths = await withOwner(db, ann, (trx) => findByMeaning(trx, ann, nearest, 5));
    return paths.map((path) => ({ path }));
  };
  const recall = {
    words: await recallOf(byWords),
    meanings: await recallOf(byMeaning),
    fused: await recallOf((question) => memory.search(ann, question, 5)),
  };
  console.log('recall@5', JSON.stringify(recall));

  expect(notes).toHaveLength(200);
  expect(questions).toHaveLength(40);
  expect(recall.words.all).toBeGreaterThan(0.4);
  expect(recall.meanings.all).toBeGreaterThan(0.4);
  expect(recall.fused.all).toBeGreaterThanOrEqual(Math.max(recall.words.all, recall.meanings.all) - 0.02);
  expect(recall.fused.all).toBeGreaterThan(0.8);
}, 60_000);

type Search = (question: string) => Promise<readonly { path: string }[]>;

/** The share of the questions whose note is among the first five, by what question and note share. */
async function recallOf(search: Search) {
  const asked = await Promise.all(
    questions.map(async ({ question, path, shares }) => {
      return { shares, found: (await search(question)).some((note) => note.path === path) };
    }),
  );
  const share = (some: typeof asked) => some.filter(({ found }) => found).length / some.length;
  return {
    all: share(asked),
    sharedWords: share(asked.filter(({ shares }) => shares === 'words')),
    sharedMeaning: share(asked.filter(({ shares }) => shares === 'meaning')),
  };
}
