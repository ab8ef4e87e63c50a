import { useSyncExternalStore } from 'react';

export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'reborn.theme';
const listeners = new Set<() => void>();
const system = matchMedia('(prefers-color-scheme: dark)');

/** Puts the chosen theme on the page, now and whenever the system changes its mind. */
export function installTheme(): void {
  apply();
  system.addEventListener('change', apply);
}

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  apply();
}

export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(listen, readChoice);

export const useIsDark = (): boolean =>
  useSyncExternalStore(listen, () => document.documentElement.dataset['theme'] === 'dark');

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readChoice(): ThemeChoice {
  const stored = readStored();
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** The page of a shared thread has no storage, nor has a browser that refuses it. */
function readStored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function apply(): void {
  const choice = readChoice();
  document.documentElement.dataset['theme'] = choice === 'system' ? (system.matches ? 'dark' : 'light') : choice;
  for (const listener of listeners) listener();
}
