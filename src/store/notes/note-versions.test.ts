import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import { BY_PERSON, type NoteCause } from '#domain/note.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { audited } from '../audit.ts';
import { runStatement, withOwner } from '../connection.ts';
import { eraseVersions, listDeleted, listVersions } from './note-versions.ts';
import { deleteNote, findNote, keepNotes, writeNote } from './notes.ts';

const ann = { userId: 'ann' };
const bob = { userId: 'bob' };
let server: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  server = await openMigratedDatabase();
});
beforeEach(() => server.everything.query('truncate notes, note_words, note_versions'));
afterAll(() => server?.close());

const asAnn = <T>(act: Parameters<typeof withOwner<T>>[2]) => withOwner(server.db, ann, act);
const byAgent = (call: string, more: Partial<NoteCause> = {}): NoteCause => ({ author: 'agent', call, ...more });
const write = (text: string, cause: NoteCause, origin: 'person' | 'foreign' = 'person') =>
  asAnn((trx) => writeNote(trx, ann, { path: 'a', text, origin }, cause));
const remove = (cause: NoteCause) => asAnn((trx) => deleteNote(trx, ann, 'a', cause));
const history = async () =>
  (await asAnn((trx) => listVersions(trx, ann, 'a'))).map(
    ({ version, text, origin, writtenBy }) => `${version} ${text} ${origin} by ${writtenBy}`,
  );
const current = () => asAnn((trx) => findNote(trx, ann, 'a'));

test('each change of a note is a version, with who made it, in which turn and after reading what', async () => {
  const [threadId, turnId] = [newId(), newId()];
  const sources = [{ kind: 'page', name: 'news.example', itemId: newId() } as const];
  await write('one', BY_PERSON);
  await write('two', byAgent('1', { threadId, turnId, sources }), 'foreign');
  expect(await current()).toMatchObject({ text: 'two', version: 2, writtenBy: 'agent', sources });
  await asAnn((trx) =>
    audited(
      trx,
      (keeping) => keepNotes(keeping, ann, ['a']),
      () => 'no right changed',
    ),
  );
  await write('two', BY_PERSON); // changes nothing
  await remove(byAgent('2'));
  await write('three', BY_PERSON);

  expect(await history()).toEqual([
    '5 three person by person',
    '4 null person by agent',
    '3 two person by person',
    '2 two foreign by agent',
    '1 one person by person',
  ]);
  const [, , kept, second] = await asAnn((trx) => listVersions(trx, ann, 'a'));
  expect(second).toMatchObject({ threadId, turnId, sources });
  expect(kept).toMatchObject({ threadId: null, sources });
});

test('a call writes one version, even if it is tried', async () => {
  await write('one', byAgent('1'));
  await write('by the person', BY_PERSON);
  expect(await write('one', byAgent('1'))).toBe(true);
  expect(await remove(byAgent('2'))).toBe(true);
  await write('again', BY_PERSON);
  expect(await remove(byAgent('2'))).toBe(true);
  expect(await history()).toHaveLength(4);
  expect(await current()).toMatchObject({ text: 'again', version: 4 });
});

test('concurrent writers of one note leave versions without gaps, and the newest is the note', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
  await Promise.all(texts.map((text, index) => write(text, byAgent(`${index}`))));
  const versions = await asAnn((trx) => listVersions(trx, ann, 'a'));
  expect(versions.map(({ version }) => version)).toEqual(texts.map((_, index) => 20 - index));
  expect(await current()).toMatchObject({ text: versions[0]?.text, version: 20 });
});

test('a change by a replica that does not know versions is one, too', async () => {
  const run = (statement: string) => asAnn((trx) => runStatement(trx, statement, []));
  await server.everything.query(
    `insert into notes (user_id, path, text, origin, word_count) values ('ann', 'a', 'old', 'unknown', 0)`,
  );
  expect(await history()).toEqual(['1 old unknown by unknown']);
  expect(await current()).toMatchObject({ version: 1, writtenBy: 'unknown', sources: [] });
  await run(`update notes set text = 'new', origin = 'person'`);
  await run('delete from notes');
  expect(await history()).toEqual(['3 null person by unknown', '2 new person by unknown', '1 old unknown by unknown']);
});

test('a note keeps its 50 newest versions', async () => {
  for (let index = 1; index <= 53; index++) await write(`text ${index}`, BY_PERSON);
  const versions = await asAnn((trx) => listVersions(trx, ann, 'a'));
  expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, index) => 53 - index));
});

test('deleted notes are listed until they are written again, or their versions are erased', async () => {
  const deleted = () => asAnn((trx) => listDeleted(trx, ann, 10));
  await write('one', BY_PERSON);
  await remove(byAgent('1'));
  expect(await deleted()).toMatchObject([{ path: 'a', version: 2, writtenBy: 'agent' }]);
  await write('two', BY_PERSON);
  expect(await deleted()).toEqual([]);
  await remove(BY_PERSON);
  expect(await asAnn((trx) => eraseVersions(trx, ann, 'a', 'all'))).toBe(true);
  expect(await deleted()).toEqual([]);
  expect(await asAnn((trx) => eraseVersions(trx, ann, 'a', 'all'))).toBe(false);
});

test("versions are their owner's alone", async () => {
  await write('one', BY_PERSON);
  await withOwner(server.db, bob, async (trx) => {
    expect(await runStatement(trx, 'select from note_versions', [])).toEqual([]);
    expect(await runStatement(trx, 'delete from note_versions returning 1', [])).toEqual([]);
  });
});
