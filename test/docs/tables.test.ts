import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listCatalogue } from '#agent/administration/mcp/catalogue/catalogue.ts';
import type { EndedStatus } from '#domain/thread/turn.ts';
import type { GateKind } from '#domain/tool/gate.ts';
import { BUILTIN_CARDS } from '#tools/builtin/cards/builtin-cards.ts';
import { readPages } from './pages.ts';

/* The compiler fails when a union has another member than is listed here, and the tests when a page has. */
const GATE_KINDS = {
  'external-tool': true,
  approval: true,
  auth: true,
  pairing: true,
  input: true,
} satisfies Record<GateKind, true>;

const ENDED_STATUSES = {
  completed: true,
  incomplete: true,
  waiting: true,
  failed: true,
  cancelled: true,
} satisfies Record<EndedStatus, true>;

const architecture = readFileSync('ARCHITECTURE.md', 'utf8');
const concepts = readFileSync('docs/start/concepts.md', 'utf8');
const contributing = readFileSync('CONTRIBUTING.md', 'utf8');

test('concepts.md and ARCHITECTURE.md list every kind of gate', () => {
  const row = /^\| Gate +\|(.+)\|$/m.exec(architecture)?.[1] ?? '';

  expect(firstColumn(concepts, 'gate')).toEqual(Object.keys(GATE_KINDS).toSorted());
  expect(codeIn(row)).toEqual(Object.keys(GATE_KINDS).toSorted());
});

test('concepts.md lists every final status of a turn', () => {
  expect(firstColumn(concepts, 'status')).toEqual(Object.keys(ENDED_STATUSES).toSorted());
});

test('every tool exists that an example gives to an assistant', () => {
  const named = readPages().flatMap(({ text }) =>
    [...text.matchAll(/--tools ([a-z_,]+)/g)].map(([, names = '']) => names),
  );
  expect(named.length).toBeGreaterThan(1);
  expect(named.flatMap((names) => names.split(',')).filter((name) => !BUILTIN_CARDS.has(name))).toEqual([]);
});

test('the map of ARCHITECTURE.md has every folder of the repository and of src', () => {
  const expected = [
    ...foldersIn('.').filter((name) => !OUTSIDE_THE_MAP.includes(name)),
    ...foldersIn('src').map((name) => `src/${name}`),
    'src/main.ts',
  ].map((name) => (name.endsWith('.ts') ? name : `${name}/`));

  expect(firstColumn(architecture, 'path')).toEqual(expected.toSorted());
});

test('the map of ARCHITECTURE.md names the folders of src/domain', () => {
  const row = /^\| `src\/domain\/` +\|([^|]+)\|/m.exec(architecture)?.[1] ?? '';

  expect(codeIn(row)).toEqual(foldersIn('src/domain').map((name) => `${name}/`));
});

test('CONTRIBUTING.md lists every folder and every test directly in test', () => {
  const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts'));
  const expected = [...foldersIn('test').map((name) => `test/${name}/`), ...tests.map((name) => `test/${name}`)];

  expect(firstColumn(contributing.slice(contributing.indexOf('## Tests')), 'path')).toEqual(
    ['src/**/*.test.ts', ...expected].toSorted(),
  );
});

test('CONTRIBUTING.md lists every part of .ci/run', () => {
  const script = readFileSync('.ci/run', 'utf8');
  const sideBySide = /^side_by_side=\((.+)\)$/m.exec(script)?.[1]?.split(' ') ?? [];

  expect(firstColumn(contributing, 'part')).toEqual(['static', ...sideBySide, 'measured', 'setup'].toSorted());
});

test('mcp.md lists every well-known server by how one signs in', () => {
  const page = readFileSync('docs/use/mcp.md', 'utf8');
  const listed = Array.from(page.matchAll(/^\| (in the browser|with a key|not at all) +\|([^|]+)\|/gm)).flatMap(
    ([, how = '', names = '']) => names.split(',').map((name) => `${name.trim()} ${how}`),
  );
  const words = { oauth: 'in the browser', token: 'with a key', open: 'not at all' };

  expect(listed.toSorted()).toEqual(
    listCatalogue()
      .map(({ name, auth }) => `${name} ${words[auth]}`)
      .toSorted(),
  );
});

test('security.md names each file as the file is called', () => {
  const page = readFileSync('docs/trust/security.md', 'utf8');
  const links = [...page.matchAll(/\[([\w.-]+\.ts)\]\(([^)]+)\)/g)];

  expect(links.length).toBeGreaterThan(50);
  expect(links.filter(([, label, target]) => !target?.endsWith(`/${label}`)).map(([link]) => link)).toEqual([]);
});

/** `src` is in the map by its folders. The others are not in the repository. */
const OUTSIDE_THE_MAP = ['src', 'node_modules', 'dist', 'coverage'];

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted();
}

/** The names in the first column of the first table whose header begins with `title`. */
function firstColumn(page: string, title: string): string[] {
  const table = new RegExp(`^\\| ${title} +\\|.*\\n\\|[ :|-]+\\n(?<rows>(?:\\|.*\\n)+)`, 'm').exec(page)?.groups?.[
    'rows'
  ];
  return codeIn(
    (table ?? '')
      .split('\n')
      .map((row) => row.split('|')[1] ?? '')
      .join(' '),
  );
}

const codeIn = (text: string): string[] => Array.from(text.matchAll(/`([^`]+)`/g), ([, code = '']) => code).toSorted();
