import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptDraft } from './kept-draft.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'reborn-draft-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('the last of several drafts is kept for the next chat, in one file', async () => {
  const draft = keptDraft(home);
  await Promise.all(['a', 'a lo', 'a long question'].map((text) => draft.keep(text)));
  expect(await readdir(home)).toEqual(['draft.txt']);
  expect(await keptDraft(home).read()).toBe('a long question');
});

test('an empty chat leaves the draft of another one alone', async () => {
  const draft = keptDraft(home);
  expect(await draft.read()).toBe('');
  await writeFile(path.join(home, 'draft.txt'), 'from another chat');
  await draft.keep('');
  expect(await readFile(path.join(home, 'draft.txt'), 'utf8')).toBe('from another chat');
});

test('sending deletes the draft, and a deleted home keeps none', async () => {
  const draft = keptDraft(home);
  await draft.keep('a question');
  await draft.keep('');
  expect(await readdir(home)).toEqual([]);
  await rm(home, { recursive: true });
  await draft.keep('another question');
  expect(await draft.read()).toBe('');
});
