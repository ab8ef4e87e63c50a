import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { PreparingClient } from '#database/preparing-client.ts';
import type { Embedder } from '#domain/embedder.ts';
import { toUnitVector } from '#memory/embed-texts.ts';
import { createMemory } from '#memory/memory.ts';
import { connectStore, runStatement, withOwner } from '#store/connection.ts';
import { buildNoteIndexes } from '#store/notes/build-note-indexes.ts';
import { nameOf } from '#store/notes/note-index.ts';
import { recordEmbeddings } from '#store/search/embeddings.ts';
import { findByMeaning, findByWords } from '#store/search/find-ranked.ts';
import { NOTES as SOURCE } from '#store/search/search-source.ts';
import { givenWords } from './given-words.ts';
import { findPostmaster, postgresCpu } from './process-cost.ts';

/**
 * Measures a search among many notes of one user, with and without a pgvector index. The word frequencies resemble those
 * of a language, and the vectors form clusters. DATABASE_URL names an empty database, or one that this program has filled
 * before; without it, the embedded PostgreSQL is used.
 */
const NOTES = Number(givenWords[0] ?? 100_000);
const DIMENSIONS = 384;
const SEARCHES = 300;
const TOPICS = 2000;
const MODEL = 'bench/model';
const ann = { userId: 'ann' };
const INDEX = { ...ann, model: MODEL, dimensions: DIMENSIONS };

/** Does the same as `writeNote`, for many notes at once. */
const WRITE = `
  with written as (
    insert into notes (user_id, path, text, word_count)
    select 'ann', path, text, length(to_tsvector('simple', text)) from unnest($1::text[], $2::text[]) as given (path, text)
    returning number, path, text
  )
  insert into note_words (user_id, word, note)
  select 'ann', lexeme, number from written, note_lexemes(translate(path, '/_.-', '    ') || ' ' || text) as lexeme`;

const home = await mkdtemp(path.join(tmpdir(), 'reborn-bench-'));
await chmod(home, 0o711);
const url = process.env['DATABASE_URL'];
const database = await openDatabase({ url, home });
await migrateDatabase(database.connection, MIGRATIONS);
const db = connectStore({ ...database.connection, Client: PreparingClient }, console.error);
const random = randomFrom(7);
const vocabulary = Array.from({ length: 20_000 }, (_, rank) => `${syllables(rank)}${rank % 7 === 0 ? 's' : ''}`);
const topics = Array.from({ length: TOPICS }, () => Array.from({ length: DIMENSIONS }, gaussian));

const client = new pg.Client(database.connection);
await client.connect();
await client.query(`set app.user_id = 'ann'`);
const postmaster = await findPostmaster(query);

try {
  console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores; PostgreSQL ${database.version}; milliseconds`);
  const [{ known } = { known: 0 }] = await query<{ known: number }>('select count(*)::integer as known from notes');
  if (known === 0) await fill();
  await indexNotes([]);
  await measure();
  if (await indexNotes([INDEX])) await measure();
} finally {
  await client.end();
  await db.destroy();
  await database.close();
  await rm(home, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const started = performance.now();
  for (let start = 0; start < NOTES; start += 1000) {
    const notes = Array.from({ length: Math.min(1000, NOTES - start) }, (_, index) => {
      const id = start + index;
      return { path: `${word()}/${word()}-${id}`, text: sentence(10 + random() * 50), vector: vectorNear(id % TOPICS) };
    });
    await withOwner(db, ann, async (trx) => {
      await runStatement(trx, WRITE, [notes.map((note) => note.path), notes.map((note) => note.text)]);
      await recordEmbeddings(
        trx,
        ann,
        SOURCE,
        MODEL,
        notes.map((note) => ({ ...note, key: note.path })),
      );
    });
  }
  await client.query('vacuum analyze notes, note_words');
  const [{ size } = { size: '' }] = await query<{ size: string }>(
    `select pg_size_pretty(pg_total_relation_size('notes') + pg_total_relation_size('note_words')) as size`,
  );
  console.log(`${NOTES} notes of ${DIMENSIONS} dimensions: ${size}, written in ${secondsSince(started)} s`);
}

/** Returns whether there is an index now. */
async function indexNotes(wanted: (typeof INDEX)[]): Promise<boolean> {
  const started = performance.now();
  const { built, problem } = await buildNoteIndexes(
    database.connection,
    { wanted, tolerated: [] },
    new AbortController().signal,
  );
  if (built === 0) {
    if (wanted.length > 0) console.log(problem ?? 'This server does not have pgvector.');
    return false;
  }
  const [{ size } = { size: '' }] = await query<{ size: string }>(
    `select pg_size_pretty(pg_relation_size('${nameOf(INDEX)}')) as size`,
  );
  console.log(`pgvector index: ${size}, built in ${secondsSince(started)} s`);
  return true;
}

async function measure(): Promise<void> {
  const embedder: Embedder = { model: MODEL, embed: async (texts) => texts.map(() => vectorNear(pick(TOPICS))) };
  const [full, wordsOnly] = [createMemory(db, embedder), createMemory(db)];
  const question = () => `what is the ${sentence(4)}`;
  const vector = () => vectorNear(pick(TOPICS));

  await report('by words', () => withOwner(db, ann, (trx) => findByWords(trx, ann, SOURCE, question(), { limit: 50 })));
  await report('by meaning', () =>
    withOwner(db, ann, (trx) => findByMeaning(trx, ann, SOURCE, { model: MODEL, vector: vector() }, { limit: 50 })),
  );
  await report('search without vectors', () => wordsOnly.search(ann, question(), 5));
  await report('search', () => full.search(ann, question(), 5));
  console.log(
    `  of the true nearest 10, this share is found: ${await shareFound(vector)}; load ${loadavg()[0]?.toFixed(1)}`,
  );
}

/** Reports the elapsed time and PostgreSQL's CPU time, which is more reliable on a busy machine. */
async function report(what: string, act: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 20; count++) await act();
  const times: number[] = [];
  const cpuBefore = postmaster === undefined ? Number.NaN : postgresCpu(postmaster);
  for (let count = 0; count < SEARCHES; count++) {
    const started = performance.now();
    await act();
    times.push(performance.now() - started);
  }
  const cpu = postmaster === undefined ? Number.NaN : (postgresCpu(postmaster) - cpuBefore) / SEARCHES;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1]?.toFixed(1);
  console.log(`  ${what}: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, CPU ${cpu.toFixed(1)}`);
}

/** Compared with an exact search over all vectors. */
async function shareFound(vector: () => number[]): Promise<string> {
  let found = 0;
  for (let count = 0; count < 10; count++) {
    const question = vector();
    const exact = await query<{ path: string }>(
      `select path from notes order by (select sum(a * b) from unnest(embedding, $1::real[]) as pair (a, b)) desc limit 10`,
      [question],
    );
    const near = await withOwner(db, ann, (trx) =>
      findByMeaning(trx, ann, SOURCE, { model: MODEL, vector: question }, { limit: 10 }),
    );
    found += exact.filter(({ path: right }) => near.includes(right)).length;
  }
  return `${found} %`;
}

async function query<Row extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<Row[]> {
  return (await client.query<Row>(statement, values)).rows;
}

function secondsSince(started: number): string {
  return ((performance.now() - started) / 1000).toFixed(0);
}

function vectorNear(topic: number): number[] {
  const centre = topics[topic] ?? [];
  return toUnitVector(centre.map((value) => value + 0.8 * gaussian())) ?? [];
}

function sentence(length: number): string {
  return Array.from({ length: Math.ceil(length) }, word).join(' ');
}

/** The nth word is about n times rarer than the first. Very common words of a language are left out, because they are not searched for. */
function word(): string {
  return vocabulary[Math.floor(20 * (vocabulary.length / 20) ** random()) - 1] ?? '';
}

function syllables(rank: number): string {
  const parts = ['ka', 'lo', 'mi', 'ter', 'sun', 'bra', 'ne', 'pol', 'vi', 'dor'];
  return String(rank + 100).replaceAll(/\d/g, (digit) => parts[Number(digit)] ?? '');
}

function pick(count: number): number {
  return Math.floor(random() * count);
}

function gaussian(): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
