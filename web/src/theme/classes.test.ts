import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compile } from 'tailwindcss';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

const SOURCES = path.join(import.meta.dirname, '..');
/** They mark an element for the variants of others. */
const MARKER = /^(?:group|peer)(?:\/|$)/;

test('every class of the browser app has a rule', async () => {
  const files = globSync('**/*.tsx', { cwd: SOURCES });
  const used = await Promise.all(
    files.map(async (file) => {
      const classes = findClasses(await readFile(path.join(SOURCES, file), 'utf8'));
      return [...classes].map((name) => ({ file, name }));
    }),
  );
  const all = used.flat();
  const known = await rulesFor(all.map(({ name }) => name));

  expect(all.length).toBeGreaterThan(1000);
  expect(
    all.filter(({ name }) => !known.has(name) && !MARKER.test(name)).map(({ file, name }) => `${file}: ${name}`),
  ).toEqual([]);
});

test('a class without a rule is found, wherever the attribute gets it from', async () => {
  const code = `const DOTS = { on: 'bg-white' };
    export const Dot = ({ on, kind }) =>
      <i className={\`size-2 \${on ? 'text-nope' : 'text-ink'} \${DOTS[kind]}\`} title="not-a-class" />;`;
  const classes = findClasses(code);
  expect([...classes]).toEqual(['size-2', 'text-nope', 'text-ink', 'bg-white']);

  const known = await rulesFor(classes);
  expect([...classes].filter((name) => !known.has(name))).toEqual(['text-nope', 'bg-white']);
});

type Node = { readonly type: string; readonly [key: string]: unknown };

/** The classes in the strings of `className`, and in those of the constants that it names. */
function findClasses(code: string): Set<string> {
  const { program } = parseSync('file.tsx', code);
  const constants = new Map<string, unknown>();
  const attributes: unknown[] = [];
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator') constants.set(nameOf(node['id']), node['init']);
    if (node.type === 'JSXAttribute' && nameOf(node['name']) === 'className') attributes.push(node['value']);
  });
  return new Set(attributes.flatMap((value) => classesIn(value, constants)));
}

function classesIn(value: unknown, constants: ReadonlyMap<string, unknown>): string[] {
  const texts: string[] = [];
  walk(value, (node) => {
    if (node.type === 'BinaryExpression') return false; // what is compared is no class
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
  const loadStylesheet = async (id: string, base: string) => {
    const file = id.startsWith('.') ? path.join(base, id) : createRequire(import.meta.url).resolve(`${id}/index.css`);
    return { path: file, base: path.dirname(file), content: await readFile(file, 'utf8') };
  };
  const theme = await readFile(path.join(import.meta.dirname, 'theme.css'), 'utf8');
  const compiler = await compile(theme, { base: import.meta.dirname, loadStylesheet });
  const css = compiler.build([...classes]);
  const names = Array.from(css.matchAll(/\.((?:\\.|[\w-])+)/g), ([, name = '']) => name.replaceAll(/\\(.)/g, '$1'));
  return new Set(names);
}
