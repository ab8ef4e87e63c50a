import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Embedder } from '#domain/embedder.ts';
import { embedTexts, toUnitVector } from '#memory/embed-texts.ts';
import { createMemory } from '#memory/memory.ts';
import { createEmbedder } from '#models/create-embedder.ts';
import { withOwner } from '#store/connection.ts';
import { buildNoteIndexes } from '#store/notes/build-note-indexes.ts';
import { findByMeaning } from '#store/search/find-ranked.ts';
import { NOTES } from '#store/search/search-source.ts';
import notes from '../../fixtures/memory/notes.json' with { type: 'json' };
import questions from '../../fixtures/memory/questions.json' with { type: 'json' };
import { startEmbeddingModel } from '../../support/embedding-model.ts';
import { openMigratedDatabase } from '../../support/migrated-database.ts';
import { hasPgvector } from '../../support/pgvector.ts';

const ann = { userId: 'ann' };
const never = new AbortController().signal;
let server: Awaited<ReturnType<typeof openMigratedDatabase>>;
let model: Awaited<ReturnType<typeof startEmbeddingModel>>;
let embedder: Embedder;

beforeAll(async () => {
  [server, model] = await Promise.all([openMigratedDatabase(), startEmbeddingModel()]);
  embedder = createEmbedder({ provider: 'openai', name: 'meanings', apiKey: 'k', baseUrl: model.url });
  for (const { path, text } of notes) await createMemory(server.db).write(ann, path, text);
  const failure = await embedTexts(server.db, ann, { source: NOTES, embedder, signal: never });
  if (failure) throw failure;
});

afterAll(async () => {
  await model?.close();
  await server?.close();
});

const byWords = (question: string) => createMemory(server.db).search(ann, question, 5);
const byBoth = (question: string) => createMemory(server.db, embedder).search(ann, question, 5);
const byMeaning = async (question: string) => {
  const nearest = { model: embedder.model, vector: await vectorOf(question) };
  const paths = await withOwner(server.db, ann, (trx) => findByMeaning(trx, ann, NOTES, nearest, { limit: 5 }));
  return paths.map((path) => ({ path }));
};

test('a search by words and meaning finds what either of them finds', async () => {
  const { rows } = await server.everything.query('select from notes where embedding is null');
  expect(rows).toHaveLength(0);
  const recall = {
    words: await recallOf(byWords),
    meanings: await recallOf(byMeaning),
    fused: await recallOf(byBoth),
  };
  console.log('recall@5', JSON.stringify(recall));

  expect(notes).toHaveLength(200);
  expect(questions).toHaveLength(40);
  expect(recall.words.all).toBeGreaterThan(0.4);
  expect(recall.meanings.all).toBeGreaterThan(0.4);
  expect(recall.fused.all).toBeGreaterThanOrEqual(Math.max(recall.words.all, recall.meanings.all) - 0.02);
  expect(recall.fused.all).toBeGreaterThan(0.8);
});

test.skipIf(!hasPgvector)('a search through a pgvector index finds as much', async () => {
  const without = { meanings: await recallOf(byMeaning), fused: await recallOf(byBoth) };
  const index = { ...ann, model: embedder.model, dimensions: (await vectorOf('How long?')).length };
  expect(await buildNoteIndexes(server.connection, { wanted: [index], tolerated: [] }, never)).toMatchObject({
    built: 1,
  });

  const through = { meanings: await recallOf(byMeaning), fused: await recallOf(byBoth) };
  console.log('recall@5 through an index', JSON.stringify(through));
  expect(through.meanings.all).toBeGreaterThanOrEqual(without.meanings.all - 0.02);
  expect(through.fused.all).toBeGreaterThanOrEqual(without.fused.all - 0.02);
});

async function vectorOf(question: string): Promise<number[]> {
  const [vector = []] = await embedder.embed([question], never);
  return toUnitVector(vector) ?? [];
}

type Search = (question: string) => Promise<readonly { path: string }[]>;

/** The share of questions whose note is among the first five results, by what the question and the note have in common. */
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
