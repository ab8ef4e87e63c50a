import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restoreArchive } from '#database/archive/restore-archive.ts';
import { MIGRATIONS } from '#database/migrate.ts';
import { BY_PERSON } from '#domain/note.ts';
import { toUnitVector } from '#memory/embed-texts.ts';
import { connectStore, type Database, type OwnedTransaction, runStatement, withOwner } from '#store/connection.ts';
import { buildNoteIndexes } from '#store/notes/build-note-indexes.ts';
import { type NoteIndex, nameOf } from '#store/notes/note-index.ts';
import { deleteNote, writeNote } from '#store/notes/notes.ts';
import { recordEmbeddings } from '#store/search/embeddings.ts';
import { findByMeaning } from '#store/search/find-ranked.ts';
import { NOTES as SOURCE } from '#store/search/search-source.ts';
import { findManyNotes } from '#store/system/texts.ts';
import { archiveOf, archiveText, openDatabases } from '../../care/databases.ts';
import { openMigratedDatabase } from '../../support/migrated-database.ts';
import { hasPgvector } from '../../support/pgvector.ts';
import { waitFor } from '../../support/wait-for.ts';

const [ann, bob] = [{ userId: `ann o'hara` }, { userId: 'bob' }];
const DIMENSIONS = 32;
const NOTES = 1500;
const OF_ANN: NoteIndex = { ...ann, model: `m'1`, dimensions: DIMENSIONS };
const OF_BOB: NoteIndex = { ...OF_ANN, ...bob };
const never = new AbortController().signal;

let server: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  server = await openMigratedDatabase();
});
afterAll(() => server?.close());

const build = (wanted: NoteIndex[], tolerated: NoteIndex[] = []) =>
  buildNoteIndexes(server.connection, { wanted, tolerated }, never);
const near = (owner: typeof ann, vector: readonly number[], limit = 10) =>
  withOwner(server.db, owner, (trx) => findByMeaning(trx, owner, SOURCE, { model: OF_ANN.model, vector }, { limit }));
const indexes = async () => {
  const { rows } = await server.everything.query<{ name: string; valid: boolean }>(
    `select relname as name, indisvalid as valid from pg_index join pg_class on oid = indexrelid
     where starts_with(relname, 'notes_near_')`,
  );
  return rows;
};
const isBuilt = async (index: NoteIndex) =>
  (await indexes()).some(({ name, valid }) => valid && name === nameOf(index));

/** How often the act scans ann's index. */
const scansDuring = (act: (trx: OwnedTransaction) => Promise<unknown>) =>
  withOwner(server.db, ann, async (trx) => {
    // Scans of earlier transactions count, too, until the connection has reported them.
    const earlier = await countScans(trx);
    await act(trx);
    return (await countScans(trx)) - earlier;
  });

async function countScans(trx: OwnedTransaction): Promise<number> {
  const query = 'select pg_stat_get_xact_numscans(to_regclass($1)) as scans';
  const [row] = await runStatement<{ scans: string }>(trx, query, [nameOf(OF_ANN)]);
  return Number(row?.scans);
}

test('users with the most vectors of a model are found, with the length of the newest vector', async () => {
  const many = (userId: string, count: number, model: string, dimensions = 4) =>
    keep(
      server.db,
      { userId },
      Array.from({ length: count }, (_, index) => ({ path: `${model}/${index}`, vector: vectorOf(index, dimensions) })),
      model,
    );
  await many('few', 1, 'counted');
  await many('some', 2, 'counted');
  await many('most', 3, 'counted', 2);
  await many('most', 1, 'counted/2');
  await many('others', 5, 'counted/2');
  await withOwner(server.db, { userId: 'most' }, (trx) =>
    recordEmbeddings(trx, { userId: 'most' }, SOURCE, 'counted', [
      { key: 'counted/0', text: 'counted/0', vector: vectorOf(1, 4) },
    ]),
  );

  const find = (least: number, limit = 10) => findManyNotes(server.everything, { model: 'counted', least, limit });
  expect(await find(2)).toEqual([
    { userId: 'most', count: 3, dimensions: 4 },
    { userId: 'some', count: 2, dimensions: 4 },
  ]);
  expect((await find(1, 1)).map(({ userId }) => userId)).toEqual(['most']);
});

test.skipIf(hasPgvector)('on a server without pgvector no index is built, and search still works', async () => {
  await keep(server.db, ann, [{ path: 'a', vector: vectorOf(1) }]);
  expect(await build([OF_ANN])).toEqual({ built: 0, dropped: 0 });
  expect(await near(ann, vectorOf(1))).toEqual(['a']);
});

describe.skipIf(!hasPgvector)('with pgvector', () => {
  beforeAll(async () => {
    const some = (owner: string) =>
      Array.from({ length: NOTES }, (_, index) => ({ path: `${owner}/${index}`, vector: vectorOf(index) }));
    await keep(server.db, ann, some('ann'));
    await keep(server.db, bob, some('bob').slice(0, 20));
    await server.everything.query('analyze notes');
  });

  test('a search through the index finds the nearest notes of its owner only', async () => {
    const questions = Array.from({ length: 20 }, (_, index) => vectorOf(NOTES + index));
    const ofBob = () => Promise.all(questions.map((vector) => near(bob, vector)));
    const withoutIndex = await ofBob();

    expect(await build([OF_ANN])).toEqual({ built: 1, dropped: 0 });

    for (const vector of questions) expect(await near(ann, vector)).toEqual(nearest(vector, 10));
    expect(await ofBob()).toEqual(withoutIndex);
    expect(
      await scansDuring((trx) =>
        findByMeaning(trx, ann, SOURCE, { model: OF_ANN.model, vector: vectorOf(1) }, { limit: 10 }),
      ),
    ).toBe(1);
  });

  test('notes written after the index was built are found, and deleted ones are not', async () => {
    await build([OF_ANN]);
    const vector = vectorOf(9999);
    await keep(server.db, ann, [{ path: 'ann/late', vector }]);
    expect((await near(ann, vector))[0]).toBe('ann/late');

    await withOwner(server.db, ann, (trx) =>
      writeNote(trx, ann, { path: 'ann/late', text: 'Another text, not embedded yet.', origin: 'person' }, BY_PERSON),
    );
    expect(await near(ann, vector)).not.toContain('ann/late');
    await withOwner(server.db, ann, (trx) => deleteNote(trx, ann, 'ann/0', BY_PERSON));
    expect(await near(ann, vectorOf(0))).not.toContain('ann/0');
  });

  test('a vector of another length does not harm a user with an index', async () => {
    await build([OF_ANN]);
    await keep(server.db, ann, [{ path: 'ann/short', vector: [1, 0] }]);
    expect(await near(ann, [1, 0])).toEqual(['ann/short']);
    expect(await near(ann, vectorOf(3))).not.toContain('ann/short');
  });

  test('an unwanted index is dropped, and a tolerated one is not built', async () => {
    await build([OF_ANN, OF_BOB]);
    expect(await build([OF_ANN], [OF_BOB])).toEqual({ built: 0, dropped: 0 });
    expect(await build([OF_ANN])).toEqual({ built: 0, dropped: 1 });
    expect(await build([OF_ANN], [OF_BOB])).toEqual({ built: 0, dropped: 0 });
  });

  test('the remains of a failed build are removed, and the index is built again', async () => {
    await build([OF_ANN]);
    const broken = `create unique index concurrently ${nameOf(OF_BOB)} on notes (user_id)`;
    await expect(server.everything.query(broken)).rejects.toThrow(/could not create unique index/);

    expect((await near(bob, vectorOf(5)))[0]).toBe('bob/5');
    expect(await build([OF_ANN, OF_BOB])).toEqual({ built: 1, dropped: 1 });
    expect((await indexes()).every(({ valid }) => valid)).toBe(true);
  });

  test('an aborted builder does not wait for its build, no other starts, and the build finishes', async () => {
    await build([OF_ANN]);
    const writing = await server.everything.connect(); // an index is not complete until older writers have finished
    await writing.query(`begin; update notes set text = 'x' where path = 'bob/1'`);
    const leaving = new AbortController();
    const building = buildNoteIndexes(server.connection, { wanted: [OF_ANN, OF_BOB], tolerated: [] }, leaving.signal);
    await waitFor('the build to begin', async () => (await indexes()).length === 2);

    leaving.abort();
    expect(await building).toEqual({ built: 0, dropped: 0 });
    expect(await build([OF_ANN])).toEqual({ built: 0, dropped: 0 });
    expect(await isBuilt(OF_BOB)).toBe(false);

    await writing.query('commit');
    writing.release();
    await waitFor('the index to be complete', () => isBuilt(OF_BOB));
    await waitFor('its builder to be gone', async () => (await build([OF_ANN])).dropped === 1);
  });

  test('long vectors are indexed, and vectors that are too long are searched without an index', async () => {
    for (const dimensions of [3072, 4096]) {
      const index = { userId: `long ${dimensions}`, model: OF_ANN.model, dimensions };
      const [one, other] = [vectorOf(1, dimensions), vectorOf(2, dimensions)];
      await keep(server.db, index, [
        { path: 'one', vector: one },
        { path: 'other', vector: other },
      ]);
      expect(await build([OF_ANN, index])).toMatchObject({ built: dimensions === 3072 ? 1 : 0 });
      expect(await near(index, other)).toEqual(['other', 'one']);
    }
  });

  test('without permission to add pgvector, an archive can be loaded and searched, and the operator reads what to do', async () => {
    await build([OF_ANN]);
    await using databases = await openDatabases();
    const target = await databases.create();
    const archive = await archiveOf(await archiveText(server.connection));
    await restoreArchive({ connection: target, migrations: MIGRATIONS, archive });

    const report = await buildNoteIndexes(target, { wanted: [OF_ANN], tolerated: [] }, never);
    expect(report).toEqual({ built: 0, dropped: 0, problem: expect.stringContaining('create extension vector') });
    const db = connectStore(target, () => {});
    const question = { model: OF_ANN.model, vector: vectorOf(7) };
    const found = await withOwner(db, ann, (trx) => findByMeaning(trx, ann, SOURCE, question, { limit: 5 }));
    await db.destroy();
    expect(found[0]).toBe('ann/7');
  });
});

async function keep(
  db: Database,
  owner: typeof ann,
  notes: { path: string; vector: readonly number[] }[],
  model = OF_ANN.model,
) {
  await withOwner(db, owner, async (trx) => {
    const rows = notes.map(({ path }) => ({ userId: owner.userId, path, text: path, wordCount: 1 }));
    await trx.insertInto('notes').values(rows).execute();
    await recordEmbeddings(
      trx,
      owner,
      SOURCE,
      model,
      notes.map(({ path, vector }) => ({ key: path, text: path, vector })),
    );
  });
}

/** Compares with every vector. */
function nearest(vector: readonly number[], count: number): string[] {
  const all = Array.from({ length: NOTES }, (_, index) => ({
    path: `ann/${index}`,
    likeness: vectorOf(index).reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0),
  }));
  return all
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, count)
    .map(({ path }) => path);
}

/** The same direction for the same number; other numbers point in unrelated directions. */
function vectorOf(seed: number, dimensions = DIMENSIONS): number[] {
  const at = (index: number) => Math.sin((seed + 1) * 12.9898 * (index + 1)) * 43_758.5453;
  return toUnitVector(Array.from({ length: dimensions }, (_, index) => at(index) - Math.floor(at(index)) - 0.5)) ?? [];
}
