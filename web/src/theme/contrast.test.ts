import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { contrast, readTokens } from './contrast.ts';

const tokens = readTokens(readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8'));
const SURFACES = ['paper', 'raised', 'sunken', 'hover', 'yours'];
const WASHES = ['ember', 'running', 'waiting', 'done', 'failed'];
const CODE = ['code-word', 'code-text', 'code-number', 'code-note'];
const CHARTS = ['chart-1', 'chart-2', 'chart-3', 'chart-4', 'chart-5'];
/** Text, and what is drawn: the limits of WCAG are 4.5 and 3. */
const TEXT = 4.7;
const DRAWN = 3.1;

const pairs = (words: readonly string[], surfaces: readonly string[], least: number) =>
  words.flatMap((word) => surfaces.map((surface) => [word, surface, least] as const));

const PAIRS = [
  ...pairs(['ink', 'ink-soft', 'ember', 'running', 'waiting', 'done', 'failed'], SURFACES, TEXT),
  ...WASHES.flatMap((name) => pairs(['ink', 'ink-soft', name], [`${name}-wash`], TEXT)),
  ...pairs(['ember'], ['waiting-wash'], TEXT),
  ...pairs(['on-ember'], ['ember'], TEXT),
  ...pairs(['paper'], ['ink'], TEXT),
  ...pairs(['ink'], ['mark'], TEXT),
  ...pairs(CODE, ['paper', 'raised', 'sunken', 'done-wash', 'failed-wash'], TEXT),
  ...pairs(['edge'], ['paper', 'raised', 'sunken'], DRAWN),
  ...pairs(CHARTS, ['paper', 'raised'], DRAWN),
];

const BOTH = PAIRS.flatMap((pair) => [[...pair, 'light'] as const, [...pair, 'dark'] as const]);

test.each(BOTH)('%s on %s has a contrast of at least %s in the %s theme', (word, surface, least, theme) => {
  expect(contrast(colour(word)[theme], colour(surface)[theme])).toBeGreaterThanOrEqual(least);
});

test('pages by others have white paper in both themes', () => {
  expect(colour('sheet')).toEqual({ light: [1, 0, 0], dark: [1, 0, 0] });
});

test('black on white has the contrast that WCAG says', () => {
  expect(contrast([1, 0, 0], [0, 0, 0])).toBeCloseTo(21, 2);
});

function colour(name: string) {
  const found = tokens.get(name);
  if (!found) throw new Error(`tokens.css has no --${name}.`);
  return found;
}
