/** What was typed and not sent yet, by thread; `new` for the one to come. */
export function readDraft(thread: string): string {
  return localStorage.getItem(PREFIX + thread) ?? '';
}

export function keepDraft(thread: string, text: string): void {
  if (text === '') localStorage.removeItem(PREFIX + thread);
  else localStorage.setItem(PREFIX + thread, text);
}

const PREFIX = 'reborn.draft.';
