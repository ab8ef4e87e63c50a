import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DraftStore } from '#terminal/drafts.ts';

/** What is typed and not sent: a file per thread, and one for the thread that is not begun. A home that can't be written to keeps none. */
export function createDraftStore(home: string): DraftStore {
  const kept = new Map<string, string>();
  let writing = Promise.resolve();
  return {
    async read(threadId) {
      const file = fileOf(home, threadId);
      const text = await readFile(file, 'utf8').catch(() => '');
      kept.set(file, text);
      return text;
    },
    keep(threadId, text) {
      const file = fileOf(home, threadId);
      if (text !== (kept.get(file) ?? '')) writing = writing.then(() => write(file, text)).catch(() => {});
      kept.set(file, text);
      return writing;
    },
  };
}

const fileOf = (home: string, threadId: string | undefined) =>
  path.join(home, threadId === undefined ? 'draft.txt' : `draft-${threadId}.txt`);

/** Renamed into place: a chat that is killed meanwhile leaves the old draft or the new one. */
async function write(file: string, text: string): Promise<void> {
  if (text.trim() === '') return rm(file, { force: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, text, { mode: 0o600 });
  await rename(unfinished, file);
}
