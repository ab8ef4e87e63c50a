import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** What a benchmark saved, or what was copied from its output. */
type Result = { readonly date: string; readonly commit: string; readonly numbers: readonly number[] };

const results = new Map(globSync('bench/results/*.json').map((file) => [path.basename(file), readResult(file)]));
const benchmarks = readFileSync('docs/trust/benchmarks.md', 'utf8');
const scale = readFileSync('docs/operate/scale.md', 'utf8');
const readme = readFileSync('README.md', 'utf8');

/** A part of a page, and the files that it names as the source of its figures. */
type Part = { readonly title: string; readonly text: string; readonly sources: readonly string[] };

const sections = sectionsOf(benchmarks);

/** The other sections of the page are computed or simulated. */
const measured = sectionsOf(scale).filter(({ title }) => title === 'What one turn costs');

const rows: Part[] = tableOf(readme, '## Results').map(([measurement = '', result = '', source = '']) => ({
  title: measurement,
  text: result,
  sources: sourcesIn(source),
}));

test.each(sections)('the figures under "$title" in benchmarks.md are in the files that it names', (part) => {
  expect(unfoundFigures(part)).toEqual([]);
});

test.each(measured)('the figures under "$title" in scale.md are in the files that it names', (part) => {
  expect(part.sources).not.toEqual([]);
  expect(unfoundFigures(part)).toEqual([]);
});

test.each(rows)('README.md\'s figures of "$title" are in the file that it names', (part) => {
  expect(part.sources).not.toEqual([]);
  expect(unfoundFigures(part)).toEqual([]);
});

test('benchmarks.md has the date and commit of each file', () => {
  const named = [...benchmarks.matchAll(/\[([\w-]+\.json)\]\([^)]+\)\s+\(measured\s+on\s+(\S+),\s+commit\s+(\w+)\)/g)];

  expect(named.length).toBeGreaterThan(20);
  for (const [, file = '', date, commit] of named) expect({ file, date, commit }).toEqual({ file, ...originOf(file) });
});

test('every file has a date and a commit, and a page uses it', () => {
  const pages = benchmarks + scale;

  for (const [file, { date, commit }] of results) {
    expect(pages).toContain(`](../../bench/results/${file})`);
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(commit).toMatch(/^[0-9a-f]{8}$/);
  }
});

test('a figure counts as found only as it is rounded on the page', () => {
  const part = (text: string) => ({ title: '', text, sources: ['turns.json'] });

  expect(unfoundFigures(part('12.4 ms, `12345` and [a 777](x.md)'))).toEqual([]);
  expect(unfoundFigures(part('12.5 ms or 8,123 turns'))).toEqual(['12.5', '8,123']);
});

function sectionsOf(page: string): Part[] {
  return page.split(/^(?=#{2,3} )/m).map((text) => ({
    title: /^#+ (.+)$/m.exec(text)?.[1] ?? '',
    text: text.replace(/^#+ .+$/m, '').replace(/^Results: .+?\.$/ms, ''),
    sources: sourcesIn(text),
  }));
}

function originOf(file: string) {
  const { date, commit } = results.get(file) ?? {};
  return { date, commit };
}

/** The figures of a text that none of its sources has. Code, links and names are not figures. */
function unfoundFigures({ text, sources }: Part): string[] {
  const known = sources.flatMap((file) => results.get(file)?.numbers ?? []);
  const prose = text.replaceAll(/`[^`]*`|\]\([^)]*\)|\[[^\]]*\](?=\()/g, '');
  return figuresIn(prose).filter((figure) => !known.some((number) => isShownAs(number, figure)));
}

/** Numbers that stand alone: not the 95 of `p95`, and not versions such as 1.4.18. */
function figuresIn(text: string): string[] {
  return Array.from(text.matchAll(/(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w.]*\d)(?!\w*-)/g), ([figure]) =>
    figure.replace(/,$/, ''),
  );
}

/** Results are in ms, in shares and in units; pages also show seconds, percentages and millions. */
function isShownAs(number: number, figure: string): boolean {
  const shown = Number(figure.replaceAll(',', ''));
  const decimals = figure.split('.')[1]?.length ?? 0;
  return [number, number / 1000, number / 1e6, number * 100].some(
    (value) => Math.abs(value - shown) <= 0.5 / 10 ** decimals + Number.EPSILON * shown,
  );
}

function readResult(file: string): Result {
  const saved = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const run = Array.isArray(saved['runs']) ? (saved['runs'].at(-1) as Record<string, unknown>) : saved;
  return { date: String(run['date']), commit: String(run['commit']), numbers: numbersIn(run) };
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value === 'string') return figuresIn(value).map((figure) => Number(figure.replaceAll(',', '')));
  return value && typeof value === 'object'
    ? Object.entries(value).flatMap(([name, each]) => [...numbersIn(name), ...numbersIn(each)])
    : [];
}

function sourcesIn(text: string): string[] {
  return Array.from(text.matchAll(/bench\/results\/([\w-]+\.json)/g), ([, file = '']) => file);
}

/** The cells of the rows of the first table after a heading. */
function tableOf(page: string, heading: string): string[][] {
  const after = page.slice(page.indexOf(heading));
  const table = /^\|.*\n\|[ :|-]+\n((?:\|.*\n)+)/m.exec(after)?.[1] ?? '';
  return table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
