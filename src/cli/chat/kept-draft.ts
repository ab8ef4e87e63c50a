import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ChatOptions } from '#terminal/chat.ts';

/** What was typed and not sent when the chat ended. A home that can't be written to keeps none. */
export function keptDraft(home: string): ChatOptions['draft'] {
  const file = path.join(home, 'draft.txt');
  return {
    read: () => readFile(file, 'utf8').catch(() => ''),
    keep: (text) =>
      (text.trim() === '' ? rm(file, { force: true }) : writeFile(file, text, { mode: 0o600 })).catch(() => {}),
  };
}
