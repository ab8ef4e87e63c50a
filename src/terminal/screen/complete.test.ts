import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCompletion } from './complete.ts';

test('files are offered after an @ until the name is complete, so that Enter sends it', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-complete-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await Promise.all(['lease.pdf', 'notes.md', 'notes.txt'].map((name) => writeFile(path.join(folder, name), '')));
  const completion = createCompletion({ commands: async () => [], mentions: async () => [] }, folder);
  const offered = async (text: string) => {
    const { signal } = new AbortController();
    return (await completion.getSuggestions([text], 0, text.length, { signal }))?.items.map(({ value }) => value);
  };
  expect(await offered('read @notes')).toEqual(['@notes.md', '@notes.txt']);
  expect(await offered('read @notes.md')).toBeUndefined();
  expect(await offered('read @no-such-file')).toBeUndefined();
});
