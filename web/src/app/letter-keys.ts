import { useSyncExternalStore } from 'react';

const KEY = 'reborn.letter-keys';
const listeners = new Set<() => void>();

/** Whether single letters do something outside of fields. People who speak to their computer press them by accident. */
export const areLettersKeys = (): boolean => localStorage.getItem(KEY) !== 'off';

export function chooseLetterKeys(on: boolean): void {
  if (on) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
  for (const listener of listeners) listener();
}

export const useLetterKeys = (): boolean => useSyncExternalStore(listen, areLettersKeys);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
