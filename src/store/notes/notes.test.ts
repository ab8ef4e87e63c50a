import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BY_PERSON } from '#domain/note.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { audited } from '../audit.ts';
import { runStatement, withOwner } from '../connection.ts';
import { recordEmbeddings } from '../search/embeddings.ts';
import { findByMeaning, findByWords } from '../search/find-ranked.ts';
import { NOTES } from '../search/search-source.ts';
import { countOfUnknownOrigin, deleteNote, keepNotes, writeNote } from './notes.ts';

const ann = { userId: 'ann' };
const bob = { userId: 'bob' };
const operator = { userId: 'operator' };
let server: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  server = await openMigratedDatabase();
});
beforeEach(() => server.everything.query('truncate notes, note_words, note_versions'));
afterAll(() => server?.close());

const write = (owner: typeof ann, path: string, text: string) =>
  withOwner(server.db, owner, (trx) => writeNote(trx, owner, { path, text, origin: 'person' }, BY_PERSON));
const find = (owner: typeof ann, question: string) =>
  withOwner(server.db, owner, (trx) => findByWords(trx, owner, NOTES, question, { limit: 10 }));
const words = async () =>
  (await server.everything.query<{ word: string }>('select word from note_words order by word')).rows.map(
    ({ word }) => word,
  );

test('a note is found by a word of its text or path, stemmed or exact, and not by words it no longer has', async () => {
  await write(ann, 'people/o-hara', 'The dogs were barking at Zoë.');
  for (const question of ['dog', 'DOGS', 'barks', 'zoë', 'hara?', 'people'])
    expect(await find(ann, question)).toEqual(['people/o-hara']);

  await write(ann, 'people/o-hara', 'A cat.');
  expect(await find(ann, 'dog')).toEqual([]);
  expect(await find(ann, 'cats')).toEqual(['people/o-hara']);
  await withOwner(server.db, ann, (trx) => deleteNote(trx, ann, 'people/o-hara', BY_PERSON));
  expect(await words()).toEqual([]);
});

async function isLocked(granted: boolean): Promise<boolean> {
  const { rows } = await server.everything.query(
    `select from pg_locks join pg_database on pg_database.oid = database
     where datname = current_database() and locktype = 'advisory' and granted = $1`,
    [granted],
  );
  return rows.length > 0;
}

test('a note is replaced only as it is at the time of writing', async () => {
  const mayReplace = (known: { origin: string } | undefined) => !known || known.origin === 'foreign';
  const writeMarked = (text: string) =>
    withOwner(server.db, ann, (trx) =>
      writeNote(trx, ann, { path: 'a', text, origin: 'foreign' }, BY_PERSON, mayReplace),
    );
  expect(await writeMarked('new')).toBe(true);
  expect(await writeMarked('newer')).toBe(true);

  const [, isWritten] = await Promise.all([
    withOwner(server.db, ann, async (trx) => {
      await writeNote(trx, ann, { path: 'a', text: 'by the person', origin: 'person' }, BY_PERSON);
      await waitFor('the agent to wait for the note', () => isLocked(false));
    }),
    waitFor('the person to write', () => isLocked(true)).then(() => writeMarked('by a page')),
  ]);
  expect(isWritten).toBe(false);
  expect(await find(ann, 'person')).toEqual(['a']);
});

test.each(['the of and', '', '?!', "it's", "' | ! & ( \\", "a:* <-> 'b"])(
  'the question %j does not fail',
  async (question) => {
    await write(ann, 'a', 'nothing of the kind');
    await expect(find(ann, question)).resolves.toEqual([]);
  },
);

test('a rare word weighs more than a common one', async () => {
  for (let index = 0; index < 30; index++) await write(ann, `n/${index}`, 'my favourite thing is blue');
  await write(ann, 'z', 'a walrus with many other words around it, and more of them, and still more');
  expect((await find(ann, 'favourite walrus'))[0]).toBe('z');
});

test('a note can contain a word too long for an index', async () => {
  await write(ann, 'a', `${'x'.repeat(10_000)} bees`);
  expect(await find(ann, 'bees')).toEqual(['a']);
});

test("a person keeps notes by their paths, or all of unknown origin, and other people's notes stay as they are", async () => {
  const rows = [
    ['ann', 'old', 'unknown'],
    ['ann', 'page', 'foreign'],
    ['ann', 'mine', 'person'],
    ['bob', 'old', 'unknown'],
  ];
  for (const row of rows)
    await server.everything.query(
      `insert into notes (user_id, path, text, origin, word_count) values ($1, $2, 'x', $3, 0)`,
      row,
    );
  const keep = (which: Parameters<typeof keepNotes>[2]) =>
    withOwner(server.db, ann, (trx) =>
      audited(
        trx,
        (keeping) => keepNotes(keeping, ann, which),
        () => 'no right changed',
      ),
    );
  const unknown = () => withOwner(server.db, ann, (trx) => countOfUnknownOrigin(trx, ann));
  const origins = async () =>
    (await server.everything.query('select user_id, path, origin from notes order by user_id, path')).rows.map(
      ({ origin }) => origin,
    );

  expect(await unknown()).toBe(1);
  expect(await keep('all of unknown origin')).toBe(1);
  expect(await unknown()).toBe(0);
  expect(await origins()).toEqual(['person', 'person', 'foreign', 'unknown']);
  expect(await keep(['page', 'mine'])).toBe(1);
  expect(await origins()).toEqual(['person', 'person', 'person', 'unknown']);
});

test('concurrent writers of one new path leave one note, indexed by the words of its text', async () => {
  await Promise.all(['bees', 'birds', 'bats', 'beetles'].map((text) => write(ann, 'a', text)));

  const { rows } = await server.everything.query<{ text: string }>('select text from notes');
  expect(rows).toHaveLength(1);
  expect(await find(ann, rows[0]?.text ?? '')).toEqual(['a']);
  const others = ['bees', 'birds', 'bats', 'beetles'].filter((text) => text !== rows[0]?.text);
  for (const other of others) expect(await find(ann, other)).toEqual([]);
});

test("a query without an owner filter sees only the owner's rows, and can't change or insert rows of others", async () => {
  await write(ann, 'a', 'bees');
  await write(operator, 'identity/agent', 'You are Pip.');
  await withOwner(server.db, bob, async (trx) => {
    expect(await runStatement(trx, 'select path from notes', [])).toEqual([{ path: 'identity/agent' }]);
    expect(await runStatement(trx, 'select word from note_words', [])).toEqual([]);
    expect(await runStatement(trx, `update notes set text = 'x' returning path`, [])).toEqual([]);
    expect(await runStatement(trx, 'delete from notes returning path', [])).toEqual([]);
  });
  const forge = `insert into notes (user_id, path, text, word_count) values ('ann', 'b', 'x', 0)`;
  await expect(withOwner(server.db, bob, (trx) => runStatement(trx, forge, []))).rejects.toThrow(/row-level security/);
  expect(await find(bob, 'Pip')).toEqual([]);
});

test('the nearest notes come first, and vectors of another model or length are skipped', async () => {
  const vectors = { a: [1, 0, 0], b: [0.8, 0.6, 0], c: [-1, 0, 0], short: [1, 0] };
  for (const [path, vector] of Object.entries(vectors)) {
    await write(ann, path, path);
    await withOwner(server.db, ann, (trx) =>
      recordEmbeddings(trx, ann, NOTES, 'm', [{ key: path, text: path, vector }]),
    );
  }
  const near = (model: string) =>
    withOwner(server.db, ann, (trx) => findByMeaning(trx, ann, NOTES, { model, vector: [1, 0, 0] }, { limit: 10 }));

  expect(await near('m')).toEqual(['a', 'b', 'c']);
  expect(await near('other')).toEqual([]);
});
