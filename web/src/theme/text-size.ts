import { useSyncExternalStore } from 'react';

export type TextSize = 'small' | 'normal' | 'large';

const KEY = 'reborn.text-size';
const listeners = new Set<() => void>();

/** Gives messages the size that the person has chosen; theme.css has the sizes. */
export function installTextSize(): void {
  document.documentElement.dataset['text'] = readTextSize();
}

export function chooseTextSize(size: TextSize): void {
  if (size === 'normal') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, size);
  installTextSize();
  for (const listener of listeners) listener();
}

export const useTextSize = (): TextSize => useSyncExternalStore(listen, readTextSize);

function readTextSize(): TextSize {
  const stored = localStorage.getItem(KEY);
  return stored === 'small' || stored === 'large' ? stored : 'normal';
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
