import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import type { NoteCause } from '#domain/note.ts';
import type { SeenSource } from '#domain/thread/origin.ts';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Forgetting } from './forget-notes.ts';
import { createMemory, type Memory } from './memory.ts';

const ann = { userId: 'ann' };
let server: Awaited<ReturnType<typeof openMigratedDatabase>>;
let memory: Memory;

beforeAll(async () => {
  server = await openMigratedDatabase();
  memory = createMemory(server.db);
});
beforeEach(() => server.everything.query('truncate notes, note_words, note_versions'));
afterAll(() => server?.close());

const page = { kind: 'page', name: 'evil.example' } as const;
const note = (name: string, version = 1): SeenSource => ({ kind: 'note', name, version });
let calls = 0;
const write = (path: string, text: string, sources: readonly SeenSource[], more: Partial<NoteCause> = {}) =>
  memory.writeByAgent(
    ann,
    { path, text, origin: sources.includes(page) ? 'foreign' : 'person' },
    { author: 'agent', call: `${calls++}`, sources, ...more },
  );
const forget = (more: Partial<Forgetting> = {}) =>
  memory.forget(ann, { from: page, derived: true, permanent: false, ...more });
/** Does what a preview shows. */
async function forgetAll(more: Partial<Forgetting> = {}) {
  const { digest } = await forget(more);
  return forget({ ...more, digest });
}
const textOf = async (path: string) => (await memory.find(ann, path))?.text;

test('texts from a page go, with texts derived from them, and no others', async () => {
  await memory.write(ann, 'mine', 'by me');
  await write('mine', 'by the page', [page]);
  await write('new', 'from the page', [page]);
  await write('derived', 'from the note', [note('new')]);
  await write('further', 'from that', [note('derived')]);
  await write('other', 'from elsewhere', [{ kind: 'page', name: 'good.example' }, note('mine', 1)]);

  const preview = await forget();
  expect(preview.changed).toMatchObject([
    { path: 'derived', text: 'from the note', stays: null },
    { path: 'further', stays: null },
    { path: 'mine', text: 'by the page', stays: { version: 1, text: 'by me' } },
    { path: 'new', stays: null },
  ]);
  expect(preview).toMatchObject({ kept: [], versions: 4 });
  expect(await textOf('mine')).toBe('by the page'); // a preview changes nothing

  expect(await forget({ digest: preview.digest })).toEqual(preview);
  expect(await textOf('mine')).toBe('by me');
  for (const gone of ['new', 'derived', 'further']) expect(await textOf(gone)).toBeUndefined();
  expect(await textOf('other')).toBe('from elsewhere');
  expect((await memory.search(ann, 'page note that', 10)).map(({ path }) => path)).toEqual([]);
  const { rows } = await server.everything.query(`select action, detail from audit where action = 'note.forget'`);
  expect(rows).toEqual([{ action: 'note.forget', detail: { count: 4, permanent: false } }]);

  await memory.restore(ann, 'new', 1); // until it expires, each can be restored
  expect(await textOf('new')).toBe('from the page');
});

test('texts that were only derived stay when they are left out', async () => {
  await write('new', 'from the page', [page]);
  await write('derived', 'from the note', [note('new')]);
  await forgetAll({ derived: false });
  expect([await textOf('new'), await textOf('derived')]).toEqual([undefined, 'from the note']);
});

test('a note that the page had deleted is there again', async () => {
  await memory.write(ann, 'mine', 'by me');
  await memory.delete(ann, 'mine', { author: 'agent', sources: [page] });
  expect((await forgetAll()).changed).toMatchObject([{ path: 'mine', text: null, stays: { text: 'by me' } }]);
  expect(await textOf('mine')).toBe('by me');
});

test('a text that the person has kept, restored or written since stays, and is listed if it came from there', async () => {
  for (const path of ['kept', 'restored', 'rewritten']) await write(path, 'from the page', [page]);
  await memory.keep(ann, ['kept']);
  await memory.write(ann, 'restored', 'by me');
  await memory.restore(ann, 'restored', 1);
  await memory.write(ann, 'rewritten', 'by me');

  const { changed, kept } = await forgetAll();
  expect(changed).toEqual([]);
  expect(kept.map(({ path }) => path)).toEqual(['kept', 'restored']);
  expect([await textOf('kept'), await textOf('rewritten')]).toEqual(['from the page', 'by me']);
});

test('texts from a thread or a turn go, also where their text was restored by the agent', async () => {
  const [threadId, turnId] = [newId<string>(), newId<string>()];
  await write('a', 'from the thread', [], { threadId, turnId });
  await write('a', 'another', []);
  await write('a', 'from the thread', []);
  expect(await forget({ from: { turnId: newId<string>() } })).toMatchObject({ changed: [], versions: 0 });
  expect(await forget({ from: { turnId } })).toMatchObject({ versions: 2 });
  await forgetAll({ from: { threadId } });
  expect(await textOf('a')).toBe('another');
});

test('a preview that is no longer true is refused', async () => {
  await write('new', 'from the page', [page]);
  const { digest } = await forget();
  await write('later', 'from the note', [note('new')]);
  await expect(forget({ digest })).rejects.toThrow('no longer as the preview showed them');
  expect(await textOf('new')).toBe('from the page');
});

test('forgetting permanently leaves no version of it', async () => {
  await memory.write(ann, 'mine', 'by me');
  await write('mine', 'poison one', [page]);
  await write('new', 'poison two', [page]);
  await write('replaced', 'poison three', [page]);
  await memory.write(ann, 'replaced', 'by me');
  await forgetAll({ permanent: true });
  expect((await server.everything.query(`select from note_versions where text like 'poison%'`)).rows).toEqual([]);
  expect([await textOf('mine'), await textOf('replaced')]).toEqual(['by me', 'by me']);
  expect(await memory.deleted(ann, 10)).toEqual([]);
});

/** Starts these one after the other while another transaction holds rows of the note `b`, and lets them continue when both wait. */
async function besides(
  table: 'notes' | 'note_versions',
  ...acts: (() => Promise<unknown>)[]
): Promise<PromiseSettledResult<unknown>[]> {
  const holder = await server.everything.connect();
  try {
    await holder.query('begin');
    await holder.query(`select from ${table} where path = 'b' for update`);
    const started: Promise<unknown>[] = [];
    for (const act of acts) {
      started.push(act());
      await waitFor(`${started.length} to wait`, async () => {
        const { rows } = await server.everything.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length === started.length;
      });
    }
    await holder.query('commit');
    return await Promise.allSettled(started);
  } finally {
    holder.release(true);
  }
}

const keepAll = () => memory.keep(ann, 'all of unknown origin');
/** Forgets notes that `keepAll` keeps, and that were not written in the order of their paths. */
async function forgettingOfUnknown() {
  for (const path of ['c', 'b', 'a'])
    await memory.writeByAgent(
      ann,
      { path, text: 'from the page', origin: 'unknown' },
      { author: 'agent', sources: [page] },
    );
  const { digest } = await forget();
  return () => forget({ digest });
}

test('notes that the person is keeping are no longer as the preview showed them', async () => {
  const [kept, forgotten] = await besides('notes', keepAll, await forgettingOfUnknown());
  expect(kept).toEqual({ status: 'fulfilled', value: 3 });
  expect(forgotten).toMatchObject({ reason: { message: expect.stringContaining('no longer as the preview showed') } });
});

test('notes that are being forgotten are not kept', async () => {
  const [forgotten, kept] = await besides('notes', await forgettingOfUnknown(), keepAll);
  expect(forgotten).toMatchObject({ value: { changed: [{ path: 'a' }, { path: 'b' }, { path: 'c' }] } });
  expect(kept).toEqual({ status: 'fulfilled', value: 0 });
});

test('notes that the person is keeping are looked at again before their versions are forgotten', async () => {
  for (const path of ['a', 'b', 'c']) await write(path, 'from the page', [page]);
  // As many as are kept. In the end, the person has restored the first text of two notes.
  await server.everything.query(
    `insert into note_versions (user_id, path, version, text, origin, written_by)
     select user_id, path, n, case when n = 50 and path < 'c' then text else n::text end, 'foreign', 'person'
     from notes, generate_series(2, 50) as n`,
  );
  const { digest, ...preview } = await forget({ permanent: true });
  expect(preview).toMatchObject({ changed: [], kept: [{ path: 'a' }, { path: 'b' }], replaced: [{ path: 'c' }] });

  const keep = () => memory.keep(ann, ['a', 'b', 'c']);
  const [kept, forgotten] = await besides('note_versions', keep, () => forget({ permanent: true, digest }));
  expect(kept).toEqual({ status: 'fulfilled', value: 3 });
  expect(forgotten).toMatchObject({ reason: { message: expect.stringContaining('no longer as the preview showed') } });
});

/** Which versions came from the page, by a plain program. Each version may have read any version before it. */
function tracedIn(graph: readonly { readonly hasPage: boolean; readonly read: readonly number[] }[]): Set<number> {
  const traced = new Set<number>();
  graph.forEach(({ hasPage, read }, index) => {
    if (hasPage || read.some((each) => traced.has(each))) traced.add(index);
  });
  return traced;
}

test('in any graph of notes, exactly those are forgotten that a plain program finds', async () => {
  const node = fc.record({ hasPage: fc.boolean(), read: fc.array(fc.nat(), { maxLength: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 12 }), async (nodes) => {
      await server.everything.query('truncate notes, note_words, note_versions');
      const graph = nodes.map(({ hasPage, read }, index) => ({
        hasPage: hasPage && index % 3 === 0,
        read: index === 0 ? [] : read.map((each) => each % index),
      }));
      for (const [index, { hasPage, read }] of graph.entries())
        await write(`n${index}`, `text ${index}`, [
          ...(hasPage ? [page] : []),
          ...read.map((each) => note(`n${each}`)),
        ]);
      await forgetAll();
      const left = (await memory.newest(ann, 100)).map(({ path }) => path);
      const traced = tracedIn(graph);
      expect(left.toSorted()).toEqual(graph.flatMap((_, index) => (traced.has(index) ? [] : [`n${index}`])).toSorted());
    }),
    { numRuns: 25 },
  );
});
