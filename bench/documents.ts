import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { PreparingClient } from '#database/preparing-client.ts';
import { createDocuments } from '#documents/documents.ts';
import { createExtractor } from '#documents/extractor.ts';
import type { AttachmentHash } from '#domain/ids.ts';
import { connectStore, withOwner } from '#store/connection.ts';
import { findDocuments, writePassages } from '#store/documents/documents.ts';
import { findWall } from '#tools/component/jail/wall.ts';
import { makePdf } from '../test/support/document-files.ts';
import { saveResult } from './results/save-result.ts';

/**
 * Measures a search by words among many documents of one user, how often the right passage is among the first eight, and the time
 * from a PDF of 50 pages to its text in the index. The words of the documents are as frequent as those of a language; a question
 * consists of some words of one passage, two of which are rare ones, and of words that are everywhere.
 */
const DOCUMENTS = Number(process.argv[2] ?? 10_000);
const PASSAGES = 5;
const WORDS = 250;
const QUESTIONS = 100;
const SEARCHES = 300;
const ann = { userId: 'ann' };

const home = await mkdtemp(path.join(tmpdir(), 'reborn-bench-'));
await chmod(home, 0o711);
const database = await openDatabase({ url: process.env['DATABASE_URL'], home });
await migrateDatabase(database.connection, MIGRATIONS);
const db = connectStore({ ...database.connection, Client: PreparingClient }, console.error);
const client = new pg.Client(database.connection);
await client.connect();
await client.query(`set app.user_id = 'ann'`);
const random = randomFrom(7);
const vocabulary = Array.from({ length: 50_000 }, (_, rank) => syllables(rank));
const extract = createExtractor({ findWall });
let known: Map<string, number> | undefined;
const never = new AbortController().signal;
const contents = new Map<string, Buffer>();
const documents = createDocuments({
  db,
  extract,
  read: async (_, sha256) => contents.get(sha256) ?? Buffer.of(),
});

try {
  console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores; PostgreSQL ${database.version}; milliseconds`);
  const toIndex = await measurePdf();
  const asked = await fill();
  const search = await measureSearches(asked);
  const recall = await measureRecall(asked);
  const results = {
    documents: DOCUMENTS,
    passages: DOCUMENTS * PASSAGES,
    pdf_of_50_pages_ms: toIndex,
    search,
    recall_at_8: recall,
  };
  console.log(JSON.stringify(results, null, 2));
  saveResult('documents', { command: 'npm run bench:documents', results });
} finally {
  await client.end();
  await db.destroy();
  await database.close();
  await rm(home, { recursive: true, force: true });
}

/** From the stored bytes to the written passages; the first start also finds out which files the reader consists of. */
async function measurePdf(): Promise<{ first: number; p50: number }> {
  const lines = (page: number) =>
    Array.from({ length: 40 }, (_, line) => `Page ${page}, line ${line}: ${sentence(8)}.`);
  const times: number[] = [];
  for (let round = 0; round < 6; round++) {
    const sha256 = hash(1_000_000 + round);
    contents.set(sha256, makePdf(Array.from({ length: 50 }, (_, page) => lines(page))));
    const number = await addDocument(sha256);
    const started = performance.now();
    await documents.extractWaiting({ number, userId: 'ann', sha256, kind: 'pdf', attempts: 1 }, never);
    times.push(performance.now() - started);
  }
  return { first: Math.round(times[0] ?? 0), p50: Math.round(times.slice(1).toSorted((a, b) => a - b)[2] ?? 0) };
}

type Asked = { readonly question: string; readonly sha256: AttachmentHash; readonly page: number };

/** Of some documents, a question about one of their passages. */
async function fill(): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (let index = 0; index < DOCUMENTS; index++) {
    const sha256 = hash(index);
    const number = await addDocument(sha256);
    const passages = Array.from({ length: PASSAGES }, (_, at) => ({
      page: at + 1,
      label: `page ${at + 1}`,
      heading: sentence(3),
      text: sentence(WORDS),
    }));
    await withOwner(db, ann, (trx) =>
      writePassages(trx, ann, number, { pages: PASSAGES, emptyPages: 0, tokens: 2000, passages }),
    );
    if (asked.length < QUESTIONS && index % Math.floor(DOCUMENTS / QUESTIONS) === 0) asked.push(ask(sha256, passages));
  }
  await client.query('analyze documents, passages, document_words');
  return asked;
}

function ask(sha256: AttachmentHash, passages: readonly { readonly page: number; readonly text: string }[]): Asked {
  const { page, text } = passages[Math.floor(random() * passages.length)] ?? { page: 1, text: '' };
  const words = text.split(' ');
  const rare = words.toSorted((a, b) => rankOf(b) - rankOf(a)).slice(10, 12);
  const usual = Array.from({ length: 4 }, () => words[Math.floor(random() * words.length)] ?? '');
  return { question: `what does it say about ${[...rare, ...usual].join(' ')}`, sha256, page };
}

async function measureSearches(asked: readonly Asked[]) {
  const all = await listAll();
  const times: number[] = [];
  for (let round = 0; round < SEARCHES; round++) {
    const started = performance.now();
    await documents.search(ann, all, asked[round % asked.length]?.question ?? '');
    times.push(performance.now() - started);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: Math.round(sorted[SEARCHES / 2] ?? 0), p95: Math.round(sorted[Math.floor(SEARCHES * 0.95)] ?? 0) };
}

async function measureRecall(asked: readonly Asked[]): Promise<number> {
  const all = await listAll();
  let hits = 0;
  for (const { question, sha256, page } of asked) {
    const found = await documents.search(ann, all, question);
    if (found.some((passage) => !passage.isNear && passage.sha256 === sha256 && passage.page === page)) hits++;
  }
  return hits / asked.length;
}

function listAll() {
  const hashes = Array.from({ length: DOCUMENTS }, (_, index) => hash(index));
  return withOwner(db, ann, (trx) => findDocuments(trx, ann, hashes));
}

async function addDocument(sha256: AttachmentHash): Promise<string> {
  await client.query(
    `insert into attachments (user_id, sha256, bytes, content, is_stored) values ('ann', $1, 1, '\\x00', true)`,
    [sha256],
  );
  const { rows } = await client.query<{ number: string }>(
    `insert into documents (user_id, sha256, kind, extractor) values ('ann', $1, 'pdf', 1) returning number`,
    [sha256],
  );
  return rows[0]?.number ?? '';
}

function hash(index: number): AttachmentHash {
  return index.toString(16).padStart(64, '0') as AttachmentHash;
}

function sentence(words: number): string {
  return Array.from({ length: words }, () => vocabulary[zipf()]).join(' ');
}

/** Like the words of a language: the second most frequent is half as frequent as the first, and so on. */
function zipf(): number {
  return Math.min(vocabulary.length - 1, Math.floor(vocabulary.length ** random()) - 1);
}

function rankOf(word: string): number {
  return ranks().get(word) ?? 0;
}

function ranks(): Map<string, number> {
  return (known ??= new Map(vocabulary.map((word, rank) => [word, rank])));
}

function syllables(rank: number): string {
  const parts = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'fa', 'ge'];
  let word = '';
  for (let left = rank + 12; left > 0; left = Math.floor(left / 12)) word += parts[left % 12] ?? '';
  return word;
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
