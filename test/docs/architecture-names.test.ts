import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('ARCHITECTURE.md', 'utf8');
const walks = page.slice(page.indexOf('## A walk'));
const sources = globSync('src/**/*.ts');

/** A file, and the name that follows it if there is one. */
const hops = [...walks.matchAll(/`(?<file>[\w./-]+\.ts)`(?:\s+`(?<name>\w+)`)?/g)].map(({ groups }) => ({
  file: groups?.['file'] ?? '',
  name: groups?.['name'],
}));

test("ARCHITECTURE.md's walks lead through files that are there, to names that stand in them", () => {
  expect(hops.length).toBeGreaterThan(60);
  expect(hops.filter((hop) => !isThere(hop))).toEqual([]);
});

function isThere({ file, name }: (typeof hops)[number]): boolean {
  const found = sources.filter((source) => source === `src/${file}` || source.endsWith(`/${file}`));
  return found.some((source) => name === undefined || new RegExp(`\\b${name}\\b`).test(readFileSync(source, 'utf8')));
}
