import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDraftStore } from './draft-store.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'reborn-draft-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('the last of several drafts is kept for the next chat, in one file', async () => {
  const store = createDraftStore(home);
  await Promise.all(['a', 'a lo', 'a long question'].map((text) => store.keep(undefined, text)));
  expect(await readdir(home)).toEqual(['draft.txt']);
  expect(await createDraftStore(home).read(undefined)).toBe('a long question');
});

test('each thread has its own draft', async () => {
  const store = createDraftStore(home);
  await store.keep('oslo', 'by train?');
  await store.keep(undefined, 'something new');
  expect(await createDraftStore(home).read('oslo')).toBe('by train?');
  expect(await createDraftStore(home).read('bergen')).toBe('');
});

test('an empty chat leaves the draft of another one alone', async () => {
  const store = createDraftStore(home);
  expect(await store.read(undefined)).toBe('');
  await writeFile(path.join(home, 'draft.txt'), 'from another chat');
  await store.keep(undefined, '');
  expect(await readFile(path.join(home, 'draft.txt'), 'utf8')).toBe('from another chat');
});

test('sending deletes the draft, and a deleted home keeps none', async () => {
  const store = createDraftStore(home);
  await store.keep(undefined, 'a question');
  await store.keep(undefined, '');
  expect(await readdir(home)).toEqual([]);
  await rm(home, { recursive: true });
  await store.keep(undefined, 'another question');
  expect(await store.read(undefined)).toBe('');
});
