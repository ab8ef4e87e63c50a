import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('ARCHITECTURE.md', 'utf8');
const walks = page.slice(page.indexOf('## A walk'));
const sources = globSync('src/**/*.ts');

/** The files that the walks name, each with the exported name that follows it, if there is one. */
const hops = [...walks.matchAll(/`(?<file>[\w./-]+\.ts)`(?:\s+`(?<name>\w+)`)?/g)].map(({ groups }) => ({
  file: groups?.['file'] ?? '',
  name: groups?.['name'],
}));

test("every file and name in ARCHITECTURE.md's walks exists", () => {
  expect(hops.length).toBeGreaterThan(30);
  expect(hops.filter((hop) => !exists(hop))).toEqual([]);
});

function exists({ file, name }: (typeof hops)[number]): boolean {
  const found = sources.filter((source) => source === `src/${file}` || source.endsWith(`/${file}`));
  return found.some((source) => name === undefined || new RegExp(`\\b${name}\\b`).test(readFileSync(source, 'utf8')));
}
