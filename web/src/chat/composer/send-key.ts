import { useSyncExternalStore } from 'react';

/** What sends a message; the other one breaks the line. */
export type SendKey = 'enter' | 'ctrl-enter';

const KEY = 'reborn.send-key';
const listeners = new Set<() => void>();

export function chooseSendKey(key: SendKey): void {
  if (key === 'enter') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, key);
  for (const listener of listeners) listener();
}

export const useSendKey = (): SendKey => useSyncExternalStore(listen, readSendKey);

const readSendKey = (): SendKey => (localStorage.getItem(KEY) === 'ctrl-enter' ? 'ctrl-enter' : 'enter');

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
