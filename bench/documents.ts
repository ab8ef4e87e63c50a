import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { PreparingClient } from '#database/preparing-client.ts';
import { createDocuments } from '#documents/documents.ts';
import { createDrawer, createExtractor } from '#documents/extractor.ts';
import type { AttachmentHash } from '#domain/ids.ts';
import { connectStore, type Owner, withOwner } from '#store/connection.ts';
import { writePassages } from '#store/documents/documents.ts';
import { findWall } from '#tools/component/jail/wall.ts';
import { makePdf } from '../test/support/document-files.ts';
import { makeCorpus, type Question } from './documents-corpus.ts';
import { saveResult } from './results/save-result.ts';

/**
 * Measures a search by words among many documents of one user, how often the right passage is among the first eight, what a user
 * with few documents notices of it, and the time from a PDF of 50 pages to its text in the index. Only those PDFs are extracted:
 * the passages of the others are written as the service writes them.
 */
const DOCUMENTS = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 10_000);
const FEW_DOCUMENTS = 10;
const QUESTIONS = 100;
const SEARCHES = 300;
/** Several write at once, as replicas do. The last documents are written one by one, and measured. */
const WRITERS = 4;
const MEASURED_WRITES = 200;
const ann = { userId: 'ann' };
const bob = { userId: 'bob' };

const home = await mkdtemp(path.join(tmpdir(), 'reborn-bench-'));
await chmod(home, 0o711);
const database = await openDatabase({ url: process.env['DATABASE_URL'], home });
await migrateDatabase(database.connection, MIGRATIONS);
const db = connectStore({ ...database.connection, Client: PreparingClient }, console.error);
const pool = new pg.Pool({ ...database.connection, options: '-c app.engine=on' });
const corpus = makeCorpus(7);
const never = new AbortController().signal;
const contents = new Map<string, Buffer>();
const documents = createDocuments({
  db,
  extract: createExtractor({ findWall }),
  draw: createDrawer({ findWall }),
  read: async (_, sha256) => contents.get(sha256) ?? Buffer.of(),
});

try {
  console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores; PostgreSQL ${database.version}; milliseconds`);
  const toIndex = await measurePdf();
  const few = await fill(bob, FEW_DOCUMENTS);
  const alone = await measureSearches(few);
  const many = await fill(ann, DOCUMENTS);
  const results = {
    load_before_searches: loadavg()[0],
    documents: DOCUMENTS,
    passages: many.passages,
    pdf_of_50_pages_ms: toIndex,
    write_ms: many.written,
    stored_mb: await storedMegabytes(),
    ...(await measureSearches(many)),
    recall_at_8: await measureRecall(many),
    user_with_few: { documents: FEW_DOCUMENTS, alone, beside_many: await measureSearches(few) },
  };
  console.log(JSON.stringify(results, null, 2));
  saveResult('documents', { command: 'npm run bench:documents', results });
} finally {
  await pool.end();
  await db.destroy();
  await database.close();
  await rm(home, { recursive: true, force: true });
}

/** From the stored bytes to the written passages; the first start also finds out which files the reader consists of. */
async function measurePdf(): Promise<{ first: number; p50: number }> {
  const lines = (page: number) =>
    Array.from({ length: 40 }, (_, line) => `Page ${page}, line ${line}: ${corpus.sentence(8)}.`);
  const times: number[] = [];
  for (let round = 0; round < 6; round++) {
    const sha256 = hash(1_000_000 + round);
    contents.set(sha256, makePdf(Array.from({ length: 50 }, (_, page) => lines(page))));
    const number = await addDocument(ann, sha256);
    const started = performance.now();
    await documents.extractWaiting({ number, ...ann, sha256, kind: 'pdf', attempts: 1 }, never);
    times.push(performance.now() - started);
  }
  return { first: Math.round(times[0] ?? 0), p50: quantiles(times.slice(1)).p50 };
}

type Asked = Question & { readonly sha256: AttachmentHash };
type Filled = {
  readonly owner: Owner;
  readonly hashes: readonly AttachmentHash[];
  readonly asked: readonly Asked[];
  readonly passages: number;
  readonly written: Quantiles;
};

/** Writes documents of a user, and asks about some of them. */
async function fill(owner: Owner, count: number): Promise<Filled> {
  const asked: Asked[] = [];
  const times: number[] = [];
  let next = 0;
  let written = 0;

  async function write(index: number): Promise<void> {
    const sha256 = hash(index);
    const passages = corpus.document();
    if (index % Math.ceil(count / QUESTIONS) === 0) asked.push({ ...corpus.ask(asked.length, passages), sha256 });
    written += passages.length;
    const number = await addDocument(owner, sha256);
    const started = performance.now();
    await withOwner(db, owner, (trx) =>
      writePassages(trx, owner, number, { pages: passages.length, emptyPages: 0, tokens: 2000, passages }),
    );
    times[index] = performance.now() - started;
  }
  const writeUpTo = async (end: number) => {
    while (next < end) await write(next++);
  };
  const together = Math.max(0, count - MEASURED_WRITES);
  await Promise.all(Array.from({ length: WRITERS }, () => writeUpTo(together)));
  await writeUpTo(count);
  await pool.query('vacuum analyze documents, passages, document_words');
  const hashes = times.map((_, index) => hash(index));
  return { owner, hashes, asked, passages: written, written: quantiles(times.slice(together)) };
}

/** The tool lists the documents of a thread first. */
async function measureSearches({ owner, hashes, asked }: Filled): Promise<{ list: Quantiles; search: Quantiles }> {
  const listing: number[] = [];
  const searching: number[] = [];
  for (let round = 0; round < SEARCHES; round++) {
    const started = performance.now();
    const listed = await documents.findRead(owner, hashes, never);
    const searched = performance.now();
    await documents.search(owner, listed, asked[round % asked.length]?.question ?? '');
    listing.push(searched - started);
    searching.push(performance.now() - searched);
  }
  return { list: quantiles(listing), search: quantiles(searching) };
}

/** The share of the questions whose passage is among those found, by kind. */
async function measureRecall({ owner, hashes, asked }: Filled): Promise<Record<string, number>> {
  const listed = await documents.find(owner, hashes);
  const results = await Promise.all(
    asked.map(async ({ kind, question, sha256, page }) => {
      const found = await documents.search(owner, listed, question);
      return { kind, isFound: found.some((each) => !each.isNear && each.sha256 === sha256 && each.page === page) };
    }),
  );
  const share = (of: typeof results) => of.filter(({ isFound }) => isFound).length / of.length;
  const kinds = Map.groupBy(results, ({ kind }) => kind);
  return { all: share(results), ...Object.fromEntries([...kinds].map(([kind, of]) => [kind, share(of)])) };
}

async function addDocument({ userId }: Owner, sha256: AttachmentHash): Promise<string> {
  await pool.query(
    `insert into attachments (user_id, sha256, bytes, content, is_stored) values ($1, $2, 1, '\\x00', true)`,
    [userId, sha256],
  );
  const { rows } = await pool.query<{ number: string }>(
    `insert into documents (user_id, sha256, kind) values ($1, $2, 'pdf') returning number`,
    [userId, sha256],
  );
  return rows[0]?.number ?? '';
}

async function storedMegabytes() {
  const { rows } = await pool.query<{ text: number; words: number }>(
    `select pg_total_relation_size('passages') / 1e6 as text, pg_total_relation_size('document_words') / 1e6 as words`,
  );
  return { text: Math.round(rows[0]?.text ?? 0), words: Math.round(rows[0]?.words ?? 0) };
}

function hash(index: number): AttachmentHash {
  return index.toString(16).padStart(64, '0') as AttachmentHash;
}

type Quantiles = { readonly p50: number; readonly p95: number };

function quantiles(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  return { p50: at(0.5), p95: at(0.95) };
}
