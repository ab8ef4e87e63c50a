import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttachmentHash } from '#domain/ids.ts';
import type { Page } from '#domain/workspace/document.ts';
import { embedTexts } from '#memory/embed-texts.ts';
import { PASSAGES } from '#store/search/search-source.ts';
import { takeWaitingDocuments } from '#store/system/texts.ts';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { createDocuments } from './documents.ts';
import type { Extracted } from './extractor.ts';

const ann = { userId: 'ann' };
const bob = { userId: 'bob' };
const A = 'a'.repeat(64) as AttachmentHash;
const B = 'b'.repeat(64) as AttachmentHash;
const never = new AbortController().signal;
let server: Awaited<ReturnType<typeof openMigratedDatabase>>;
let texts: Record<string, Extracted>;

beforeAll(async () => {
  server = await openMigratedDatabase();
});
beforeEach(async () => {
  texts = {};
  await server.everything.query('truncate attachments, documents, passages, document_words');
});
afterAll(() => server?.close());

/** Extracts what a test says about a file. */
const documents = (embedder?: Parameters<typeof createDocuments>[0]['embedder']) =>
  createDocuments({
    db: server.db,
    embedder,
    extract: async (_, bytes) => texts[Buffer.from(bytes).toString()] ?? { reason: 'It is not a text.' },
    draw: async () => ({ reason: 'It is no PDF.' }),
    read: async (_, sha256) => Buffer.from(sha256),
  });

const page = (...blocks: string[]): Page => ({ label: '', blocks: blocks.map((text) => ({ heading: '', text })) });

async function add(owner: { userId: string }, sha256: AttachmentHash, ...pages: Page[]): Promise<void> {
  texts[sha256] = { pages };
  await server.everything.query(
    `insert into attachments (user_id, sha256, bytes, content, is_stored) values ($1, $2, 1, '', true) on conflict do nothing`,
    [owner.userId, sha256],
  );
  await server.everything.query(
    `insert into documents (user_id, sha256, kind) values ($1, $2, 'pdf') on conflict do nothing`,
    [owner.userId, sha256],
  );
}

const take = () => takeWaitingDocuments(server.everything, 10);
async function readAll(): Promise<void> {
  for (const job of await take()) await documents().extractWaiting(job, never);
}
const find = async (owner: { userId: string }, query: string, hashes = [A, B], with_ = documents()) =>
  (await with_.search(owner, await with_.find(owner, hashes), query)).map(({ sha256, page: at, isNear }) => ({
    file: sha256.slice(0, 1),
    page: at,
    ...(isNear && { isNear }),
  }));
const count = async (table: string) =>
  (await server.everything.query<{ count: number }>(`select count(*)::integer from ${table}`)).rows[0]?.count;

test('passages are found by words in the documents that are searched, with those beside the best', async () => {
  await add(ann, A, page('an apple'), page('a pear'), page('a plum'));
  await add(ann, B, page('another apple'));
  await readAll();

  expect(await find(ann, 'which pears?', [A])).toEqual([
    { file: 'a', page: 2 },
    { file: 'a', page: 1, isNear: true },
    { file: 'a', page: 3, isNear: true },
  ]);
  expect((await find(ann, 'apples')).filter(({ isNear }) => !isNear)).toHaveLength(2);
  expect(await find(ann, 'apples', [B])).toEqual([{ file: 'b', page: 1 }]);
  expect(await find(ann, 'cherry')).toEqual([]);
});

test('a document belongs to its owner, also if another has the same file', async () => {
  await add(ann, A, page('an apple'));
  await readAll();
  expect(await documents().find(bob, [A])).toEqual([]);

  const [hers] = await documents().find(ann, [A]);
  expect(await documents().search(bob, hers ? [hers] : [], 'apple')).toEqual([]);
  expect(await documents().readPages(bob, { number: hers?.number ?? '' }, { from: 1, to: 9 })).toEqual([]);
});

test('a document is read once, again after a new version of the reader, and its old words are gone', async () => {
  await add(ann, A, page('an apple'));
  const [job] = await take();
  expect(job).toMatchObject({ userId: 'ann', sha256: A, kind: 'pdf', attempts: 1 });
  expect(await take()).toEqual([]); // leased
  if (job) await documents().extractWaiting(job, never);
  expect(await documents().find(ann, [A])).toMatchObject([{ state: 'ready', pages: 1, emptyPages: 0, tokens: 2 }]);

  texts[A] = { pages: [page('a pear'), page()] };
  await server.everything.query('update documents set extractor = 0, due_at = now()');
  await readAll();
  expect(await find(ann, 'apple')).toEqual([]);
  expect(await find(ann, 'pear')).toEqual([{ file: 'a', page: 1 }]);
  expect(await documents().find(ann, [A])).toMatchObject([{ pages: 2, emptyPages: 1 }]);
});

test('a document that can’t be read says why, and so does one whose reading ended with its replica each time', async () => {
  await add(ann, A);
  texts[A] = { reason: 'It is protected with a password.' };
  await readAll();
  expect(await documents().find(ann, [A])).toMatchObject([
    { state: 'failed', reason: 'It is protected with a password.' },
  ]);

  await add(ann, B, page('an apple'));
  for (let died = 0; died < 3; died++) {
    expect(await take()).toHaveLength(1);
    await server.everything.query('update documents set due_at = now()');
  }
  await readAll();
  expect(await documents().find(ann, [B])).toMatchObject([
    { state: 'failed', reason: expect.stringMatching(/several times/) },
  ]);
});

test('the text is deleted with the file', async () => {
  await add(ann, A, page('an apple'));
  await readAll();
  await server.everything.query('delete from attachments');

  expect(await Promise.all(['documents', 'passages', 'document_words'].map(count))).toEqual([0, 0, 0]);
});

test('passages are found by their meaning, too', async () => {
  const embedder = {
    model: 'm',
    embed: async (given: readonly string[]) => given.map((text) => (/fruit|apple/.test(text) ? [1, 0.1] : [0.1, 1])),
  };
  await add(ann, A, page('an apple'), page('a car'));
  await readAll();
  expect(await embedTexts(server.db, ann, { source: PASSAGES, embedder, signal: never })).toBeUndefined();

  expect((await find(ann, 'fruit', [A], documents(embedder)))[0]).toEqual({ file: 'a', page: 1 });
});

test('the text of a page is what was on it, also if its words are not separated', async () => {
  const chinese = '文件的第一頁沒有空格'.repeat(300);
  const english = 'A sentence of a lease. '.repeat(100).trim();
  await add(ann, A, page(chinese), page(english, 'The end.'));
  await readAll();
  const [document] = await documents().find(ann, [A]);

  const read = await documents().readPages(ann, { number: document?.number ?? '' }, { from: 1, to: 2 });
  expect(read.map(({ page: at }) => at)).toEqual([1, 2]);
  expect(read[0]?.text).toBe(chinese);
  expect(read[1]?.text.replaceAll(/\s+/g, ' ')).toBe(`${english} The end.`);
});

test('a word that is on every page of a long document is found', async () => {
  const pages = Array.from({ length: 1500 }, (_, index) => page(`The lease, clause ${index}`));
  await add(ann, A, ...pages);
  await readAll();

  expect((await find(ann, 'lease clause 1234'))[0]).toEqual({ file: 'a', page: 1235 });
});

test('a rare word finds its passage among many that have all the other words', async () => {
  const pages = Array.from({ length: 300 }, (_, index) => page(`rent and deposit of the flat, ${index}`));
  await add(ann, A, ...pages, page('rent and deposit of the castle'));
  await add(ann, B, page('deposit of the castle'));
  await readAll();

  expect((await find(ann, 'rent and deposit of a castle'))[0]).toEqual({ file: 'a', page: 301 });
});
