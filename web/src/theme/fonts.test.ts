import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildStyles } from './build-styles.ts';

const PAGES = ['index.html', 'shared.html'].map((name) => path.join(import.meta.dirname, '../..', name));

const facesIn = (css: string) => css.match(/@font-face\s*\{[^}]*\}/g) ?? [];

test('every font is a file of the build, and text shows before it has loaded', async () => {
  const faces = facesIn(await buildStyles([])).filter((face) => face.includes('url('));
  expect(faces.length).toBeGreaterThan(10);
  for (const face of faces) {
    expect(face).toMatch(/src: url\(\.\/files\/[\w-]+-wght-(?:normal|italic)\.woff2\) format/);
    expect(face).toContain('font-display: swap');
    expect(face).toContain('unicode-range:');
  }
});

test('neither styles nor pages name another host', async () => {
  const texts = [await buildStyles([]), ...(await Promise.all(PAGES.map((page) => readFile(page, 'utf8'))))];
  for (const text of texts) expect(text).not.toMatch(/(?:url\(|@import|href=|src=)\s*["']?(?:https?:)?\/\//);
});

test('the font that shows first takes the room of Inter', async () => {
  const fallback = facesIn(await buildStyles([])).find((face) => face.includes('Inter Fallback'));
  expect(fallback).toMatch(/local\("Arial"\).*107%.*90\.5%.*22\.5%.*0%/s);
});
