import { globSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findViolations } from '../architecture.ts';

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

test('the import table in ARCHITECTURE.md is the one that test/architecture.ts checks', () => {
  const places = readdirSync('src').filter((name) => !name.endsWith('.test.ts'));
  const checked = places.map((from) => [from, places.filter((to) => to !== from && mayImport(from, to))]);

  expect(Object.fromEntries(readImportTable(places))).toEqual(Object.fromEntries(checked));
});

function exists({ file, name }: (typeof hops)[number]): boolean {
  const found = sources.filter((source) => source === `src/${file}` || source.endsWith(`/${file}`));
  return found.some((source) => name === undefined || new RegExp(`\\b${name}\\b`).test(readFileSync(source, 'utf8')));
}

function mayImport(from: string, to: string): boolean {
  const path = from.endsWith('.ts') ? from : `${from}/a.ts`;
  const specifier =
    to.endsWith('.ts') && from.endsWith('.ts') ? `./${to}` : `#${to.endsWith('.ts') ? to : `${to}/b.ts`}`;
  return findViolations([{ path, text: `import '${specifier}';` }]).length === 0;
}

/** Every place with the places that it may import, both in the order of `places`. A file inside a folder allows its types only. */
function readImportTable(places: readonly string[]): [string, string[]][] {
  const section = page.slice(page.indexOf('## Who may import whom'), page.indexOf('## A walk'));
  const rows = [...section.matchAll(/^\| (`.+?) +\| (.+?) +\|$/gm)];
  const allowed = new Map(
    rows.flatMap(([, from = '', to = '']) =>
      namesIn(from).map((name) => [name, to === 'everything' ? places : to.startsWith('nothing') ? [] : namesIn(to)]),
    ),
  );
  return places.map((from) => [from, places.filter((to) => to !== from && allowed.get(from)?.includes(to))]);
}

const namesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
