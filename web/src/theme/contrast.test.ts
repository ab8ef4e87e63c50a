import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { contrast, readTokens } from './contrast.ts';

const tokens = readTokens(readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8'));
const SURFACES = ['paper', 'raised', 'sunken', 'hover'];
const WORDS = ['ink', 'ink-soft', 'ember', 'running', 'waiting', 'done', 'failed'];

const onSurfaces = (words: string[], least: number) =>
  words.flatMap((word) => SURFACES.map((surface) => [word, surface, least] as const));

const PAIRS = [
  ...onSurfaces(WORDS, 4.5),
  ['on-ember', 'ember', 4.5] as const,
  ['paper', 'ink', 4.5] as const,
  ...['ink', 'ink-soft', 'waiting', 'ember'].map((word) => [word, 'waiting-wash', 4.5] as const),
  ...['ink', 'ink-soft', 'failed'].map((word) => [word, 'failed-wash', 4.5] as const),
  ...['paper', 'raised', 'sunken'].map((surface) => ['edge', surface, 3] as const),
];

const BOTH = PAIRS.flatMap((pair) => [[...pair, 'light'] as const, [...pair, 'dark'] as const]);

test.each(BOTH)('%s on %s has a contrast of at least %s in the %s theme', (word, surface, least, theme) => {
  expect(contrast(colour(word)[theme], colour(surface)[theme])).toBeGreaterThanOrEqual(least);
});

test('black on white has the contrast that WCAG says', () => {
  expect(contrast([1, 0, 0], [0, 0, 0])).toBeCloseTo(21, 2);
});

function colour(name: string) {
  const found = tokens.get(name);
  if (!found) throw new Error(`tokens.css has no --${name}.`);
  return found;
}
