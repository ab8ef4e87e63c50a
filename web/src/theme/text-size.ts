import { useSyncExternalStore } from 'react';

export type TextSize = 'small' | 'normal' | 'large';

const KEY = 'reborn.text-size';
const listeners = new Set<() => void>();

/** Puts the chosen size of messages on the page. */
export function installTextSize(): void {
  document.documentElement.dataset['text'] = readSize();
}

export function chooseTextSize(size: TextSize): void {
  if (size === 'normal') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, size);
  installTextSize();
  for (const listener of listeners) listener();
}

export const useTextSize = (): TextSize => useSyncExternalStore(listen, readSize);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readSize(): TextSize {
  const stored = localStorage.getItem(KEY);
  return stored === 'small' || stored === 'large' ? stored : 'normal';
}
