import type { ReadSoFar } from './read-so-far.ts';

/** What a model has read that has read nothing but the person's words, with changes. */
export const readNothing = (changes: Partial<ReadSoFar> = {}): ReadSoFar => ({
  situation: 'clean',
  hasPrivate: false,
  sources: [],
  seen: () => [],
  ownTexts: [],
  ownLinks: () => new Set(),
  shownLinks: () => new Set(),
  results: new Set(),
  opened: [],
  hidesOpened: false,
  ...changes,
});
