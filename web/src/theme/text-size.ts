import { createChoice } from '../parts/store.ts';

export type TextSize = 'small' | 'normal' | 'large';

const chosen = createChoice<TextSize>('reborn.text-size', ['normal', 'small', 'large']);

/** Gives messages the size that the person has chosen; theme.css has the sizes. */
export function installTextSize(): void {
  document.documentElement.dataset['text'] = chosen.get();
}

export function chooseTextSize(size: TextSize): void {
  chosen.choose(size);
  installTextSize();
}

export const useTextSize = chosen.useValue;
