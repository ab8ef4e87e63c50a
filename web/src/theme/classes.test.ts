import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';
import { buildStyles } from './build-styles.ts';

const SOURCES = path.join(import.meta.dirname, '..');
/** They mark an element for the variants of others. */
const MARKER = /^(?:group|peer)(?:\/|$)/;

test('every class of the browser app has a rule', async () => {
  const used = await usedClasses();
  const known = await rulesFor(used.map(({ name }) => name));

  expect(used.length).toBeGreaterThan(1000);
  expect(
    used.filter(({ name }) => !known.has(name) && !MARKER.test(name)).map(({ file, name }) => `${file}: ${name}`),
  ).toEqual([]);
});

test('a class without a rule is found, wherever the attribute gets it from', async () => {
  const code = `const DOTS = { on: 'bg-white' };
    export const Dot = ({ on, kind, className = 'text-soft' }) =>
      <Link
        className={\`size-2 \${on ? 'text-nope' : 'text-ink'} \${DOTS[kind]}\`}
        activeProps={{ className: 'bg-hover' }}
        title="not-a-class"
      />;`;
  const classes = findClasses(code);
  expect([...classes]).toEqual(['text-soft', 'size-2', 'text-nope', 'text-ink', 'bg-white', 'bg-hover']);

  const known = await rulesFor(classes);
  expect([...classes].filter((name) => !known.has(name))).toEqual(['text-nope', 'bg-white']);
});

test('every custom property that the styles and components name is defined', async () => {
  const files = globSync('**/*.{ts,tsx,css}', { cwd: SOURCES, exclude: ['**/*.test.ts'] });
  const texts = await Promise.all(files.map((file) => readFile(path.join(SOURCES, file), 'utf8')));
  const named = new Set(texts.flatMap((text) => propertiesIn(text, /var\((--[\w-]+)/g)));
  const built = await buildStyles((await usedClasses()).map(({ name }) => name));
  const defined = new Set(propertiesIn(built, /(--[\w-]+):/g));

  expect(named.size).toBeGreaterThan(30);
  expect([...named].filter((name) => !defined.has(name))).toEqual([]);
});

test('colours have names: no class writes one out', async () => {
  const written = (await usedClasses()).filter(({ name }) => WRITTEN_OUT.test(name));
  expect(written.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  expect('bg-[white]').toMatch(WRITTEN_OUT);
});

test('distances, sizes of text and corners are steps of the theme', async () => {
  const others = (await usedClasses()).filter(({ name }) => isNoStep(name));
  expect(others.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  expect(['md:gap-6', '-mt-9', 'text-[15px]', 'rounded-[4px]', 'leading-6'].every(isNoStep)).toBe(true);
  expect(['md:gap-7', '-mt-3', 'text-meta', 'text-soft', 'px-3.5', 'min-h-11'].some(isNoStep)).toBe(false);
});

/** In pixels. 14 is for the inside of cards; 40 is around a page, and the room of what is pressed on touch. */
const STEPS = [0, 2, 4, 8, 12, 14, 16, 20, 28, 32, 40, 56];
const DISTANCE = /^-?(?:[pm][xytrblse]?|gap(?:-[xy])?|space-[xy])-(\d+(?:\.\d+)?)$/;
const FREE_SIZE = /^(?:text-\[\d|rounded(?:-\w+)?-\[|leading-|tracking-)/;

function isNoStep(name: string): boolean {
  const bare = name.slice(name.lastIndexOf(':') + 1);
  const steps = DISTANCE.exec(bare)?.[1];
  return FREE_SIZE.test(bare) || (steps !== undefined && !STEPS.includes(Number(steps) * 4));
}

const WRITTEN_OUT = /\[.*(?:#[\da-f]{3}|oklch|rgb|hsl|white|black)/i;

const propertiesIn = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name = '']) => name);

async function usedClasses(): Promise<{ readonly file: string; readonly name: string }[]> {
  const files = globSync('**/*.tsx', { cwd: SOURCES });
  const used = await Promise.all(
    files.map(async (file) => {
      const classes = findClasses(await readFile(path.join(SOURCES, file), 'utf8'));
      return [...classes].map((name) => ({ file, name }));
    }),
  );
  return used.flat();
}

type Node = { readonly type: string; readonly [key: string]: unknown };

/** The classes in the strings of `className`, and of the constants that it names. */
function findClasses(code: string): Set<string> {
  const { program } = parseSync('file.tsx', code);
  const constants = new Map<string, unknown>();
  const attributes: unknown[] = [];
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator') constants.set(nameOf(node['id']), node['init']);
    const name = nameOf(
      node.type === 'JSXAttribute' ? node['name'] : node.type === 'Property' ? node['key'] : undefined,
    );
    if (name === 'className') attributes.push(node['value']);
  });
  return new Set(attributes.flatMap((value) => classesIn(value, constants)));
}

function classesIn(value: unknown, constants: ReadonlyMap<string, unknown>): string[] {
  const texts: string[] = [];
  walk(value, (node) => {
    if (node.type === 'BinaryExpression') return false; // a compared string is not a class
    if (node.type === 'Literal' && typeof node['value'] === 'string') texts.push(node['value']);
    if (node.type === 'TemplateElement') texts.push((node['value'] as { cooked: string }).cooked);
    const constant = node.type === 'Identifier' ? constants.get(nameOf(node)) : undefined;
    if (isStyles(constant)) texts.push(...classesIn(constant, constants));
    return true;
  });
  return texts.flatMap((text) => text.split(/\s+/).filter(Boolean));
}

/** A string, a choice between strings, or a table of them. */
const isStyles = (value: unknown) =>
  isNode(value) &&
  /^(?:Literal|TemplateLiteral|ConditionalExpression|ObjectExpression|ArrayExpression)$/.test(value.type);

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const nameOf = (node: unknown) => (isNode(node) && typeof node['name'] === 'string' ? node['name'] : '');

/** Visits all nodes below `value`; not those below a node for which `visit` returns false. */
function walk(value: unknown, visit: (node: Node) => boolean | void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  if (!isNode(value) || visit(value) === false) return;
  for (const child of Object.values(value)) walk(child, visit);
}

/** The classes that have a rule in the app's styles when these are used. */
async function rulesFor(classes: Iterable<string>): Promise<ReadonlySet<string>> {
  const css = await buildStyles(classes);
  const names = Array.from(css.matchAll(/\.((?:\\.|[\w-])+)/g), ([, name = '']) => name.replaceAll(/\\(.)/g, '$1'));
  return new Set(names);
}
