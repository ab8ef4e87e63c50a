import { createChoice, createStore } from '../parts/store.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

const chosen = createChoice<ThemeChoice>('reborn.theme', ['system', 'light', 'dark']);
const dark = createStore(false);
const system = matchMedia('(prefers-color-scheme: dark)');

/** Puts the chosen theme on the page, now and whenever the system changes its mind. */
export function installTheme(): void {
  apply();
  system.addEventListener('change', apply);
}

export function chooseTheme(choice: ThemeChoice): void {
  chosen.choose(choice);
  apply();
}

export const useThemeChoice = chosen.useValue;
export const useIsDark = dark.useValue;

function apply(): void {
  const choice = chosen.get();
  const isDark = choice === 'system' ? system.matches : choice === 'dark';
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  dark.set(isDark);
}
