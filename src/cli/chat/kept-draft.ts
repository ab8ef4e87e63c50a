import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ChatOptions } from '#terminal/chat.ts';

/** What is typed and not sent, for the next chat. A home that can't be written to keeps none. */
export function keptDraft(home: string): ChatOptions['draft'] {
  const file = path.join(home, 'draft.txt');
  let kept = '';
  let writing = Promise.resolve();
  return {
    async read() {
      kept = await readFile(file, 'utf8').catch(() => '');
      return kept;
    },
    keep(text) {
      if (text !== kept) writing = writing.then(() => write(file, text)).catch(() => {});
      kept = text;
      return writing;
    },
  };
}

/** Renamed into place: a chat that is killed meanwhile leaves the old draft or the new one. */
async function write(file: string, text: string): Promise<void> {
  if (text.trim() === '') return rm(file, { force: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, text, { mode: 0o600 });
  await rename(unfinished, file);
}
