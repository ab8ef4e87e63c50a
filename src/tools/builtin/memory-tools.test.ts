import { expect, test, vi } from 'vitest';
import { InvalidRequest } from '#domain/errors.ts';
import { newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import type { NoteOrigin } from '#domain/note.ts';
import { readNothing } from '#domain/tool/read-so-far.test-support.ts';
import { type MemoryPort, memoryTools } from './memory-tools.ts';

const updatedAt = new Date('2026-01-02T03:04:05Z');
const byPerson = { origin: 'person', version: 1, writtenBy: 'person', sources: [], updatedAt } as const;
const search = vi.fn<MemoryPort['search']>(async () => [{ path: 'a', text: 'bees', score: 0.5, ...byPerson }]);
const port: MemoryPort = {
  search,
  find: async (_owner, path) => (path === 'a' ? { path, text: 'bees', ...byPerson } : undefined),
  writeByAgent: async (_owner, { path, text, origin }) => {
    if (text === '') throw new InvalidRequest('invalid_request', 'text', 'text must not be blank.');
    return { ...byPerson, path, text, origin };
  },
  delete: async (_owner, path) => path === 'a',
};
const tools = new Map(memoryTools(port).map((tool) => [tool.definition.name, tool]));
const context = {
  owner: { userId: 'ann' },
  secretsOf: { userId: 'ann' },
  idempotencyKey: 'k',
  signal: new AbortController().signal,
};
const call = async (name: string, given: unknown) =>
  JSON.parse((await tools.get(name)?.call(typeof given === 'string' ? given : JSON.stringify(given), context)) ?? '');

test('each gives JSON, as its owner', async () => {
  expect(await call('memory_search', { query: 'bees' })).toEqual({
    results: [{ path: 'a', text: 'bees', score: 0.5, written_by: 'the user', updated_at: '2026-01-02T03:04:05.000Z' }],
  });
  expect(search).toHaveBeenCalledWith(context.owner, 'bees', 5);
  expect(await call('memory_read', { path: 'a' })).toMatchObject({ path: 'a', text: 'bees' });
  expect(await call('memory_write', { path: 'b', text: 'x' })).toMatchObject({ path: 'b' });
  expect(await call('memory_delete', { path: 'B' })).toEqual({ path: 'b', deleted: false });
});

test('the output says who wrote a note after reading what, and which versions it shows; a write says the same of itself', async () => {
  const seen = [
    { kind: 'page', name: 'old.example' },
    { kind: 'page', name: 'news.example' },
    { kind: 'note', name: 'b', version: 2 },
    { kind: 'search', name: null },
  ] as const;
  const writeByAgent = vi.fn<MemoryPort['writeByAgent']>(async (_owner, note) => ({ ...byPerson, ...note }));
  const find = async () =>
    ({ ...byPerson, path: 'a', text: 'bees', version: 3, writtenBy: 'agent', sources: seen }) as const;
  const [, read, write] = memoryTools({ ...port, find, writeByAgent });
  const onReads = vi.fn<(reads: object) => void>();
  expect(JSON.parse((await read?.call('{"path":"a"}', { ...context, onReads })) ?? '')).toMatchObject({
    written_by: 'you',
    after_reading: ['page news.example', 'note b', 'search'],
  });
  expect(onReads).toHaveBeenCalledWith({ private: true, foreign: false, notes: [{ path: 'a', version: 3 }] });

  const turn = { id: newId<TurnId>(), threadId: newId<ThreadId>() };
  await write?.call('{"path":"b","text":"x"}', { ...context, turn, seen: () => seen });
  const cause = { author: 'agent', turnId: turn.id, threadId: turn.threadId, call: 'k', sources: seen };
  expect(writeByAgent).toHaveBeenCalledWith(context.owner, expect.anything(), cause, expect.anything());
});

test('a note that the person saved after the call was judged is not replaced, unless someone has allowed it', async () => {
  let note = { ...byPerson, path: 'a', text: 'by the agent', origin: 'foreign' as NoteOrigin };
  const stored: MemoryPort = {
    ...port,
    find: async () => note,
    writeByAgent: async (_owner, written, _cause, mayReplace) => {
      if (mayReplace && !mayReplace(note)) return undefined;
      return (note = { ...byPerson, ...written });
    },
  };
  const write = memoryTools(stored).find(({ definition }) => definition.name === 'memory_write');
  const given = JSON.stringify({ path: 'a', text: 'by a page' });
  const runs = write?.flow?.runs;
  if (typeof runs !== 'function') throw new Error('memory_write judges each call.');
  expect(await runs(given, readNothing({ situation: 'foreign' }), context.owner)).toBe('runs');

  note = { ...note, text: 'by the person', origin: 'person' };
  const foreign = { ...context, situation: 'foreign' as const };
  for (const allowedBy of ['tool', undefined] as const) {
    const refused = await write?.call(given, { ...foreign, allowedBy });
    expect(JSON.parse(refused ?? '')).toEqual({ error: expect.stringMatching(/changed meanwhile.*memory_read/) });
    expect(note.text).toBe('by the person');
  }

  await write?.call(given, { ...foreign, allowedBy: 'approval' });
  expect(note).toMatchObject({ text: 'by a page', origin: 'foreign' });
});

test.each([
  ['memory_search', {}],
  ['memory_search', { query: '' }],
  ['memory_search', { query: 'a', limit: 21 }],
  ['memory_read', { path: 5 }],
  ['memory_read', '{'],
  ['memory_write', { path: 'a' }],
  ['memory_write', { path: 'a', text: '' }],
  ['memory_write', { path: '..', text: 'a' }],
  ['memory_delete', { path: 'a', all: true }],
])('%s of %j is an error that the model can read', async (name, given) => {
  expect(await call(name, given)).toEqual({ error: expect.stringMatching(/^Invalid parameters: ./) });
});

test('a write that asks first needs an approval also where nothing by others was read', async () => {
  const runs = tools.get('memory_write')?.flow?.runs;
  if (typeof runs !== 'function') throw new Error('memory_write judges each call.');
  const judge = (given: object) =>
    runs(JSON.stringify({ path: 'a', text: 'b', ...given }), readNothing(), context.owner);

  expect(await judge({})).toBe('runs');
  expect(await judge({ ask_first: false })).toBe('runs');
  expect(await judge({ ask_first: true })).toBe('asks');
  expect(await call('memory_write', { path: 'a', text: 'b', ask_first: true })).toMatchObject({ path: 'a' });
});

test('all may be run again', () => {
  expect([...tools.keys()]).toEqual(['memory_search', 'memory_read', 'memory_write', 'memory_delete']);
  expect([...tools.values()].every((tool) => tool.repeatable)).toBe(true);
});

test('an internal error is not shown to the model', async () => {
  const [broken] = memoryTools({ ...port, search: () => Promise.reject(new Error('no database')) });
  await expect(broken?.call('{"query":"a"}', context)).rejects.toThrow('no database');
});
