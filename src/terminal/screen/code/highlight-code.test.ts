import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createColours } from '../colours.ts';
import { highlightCode } from './highlight-code.ts';

const colours = createColours(true);
const { keyword, string, name, literal, comment, added, removed, bold, code } = colours;
const lines = (text: string, info: string) => highlightCode(text, info, colours);

describe('code is coloured', () => {
  test.each([
    ['ts', "const a = 'b'; // c", `${keyword('const')} a = ${string("'b'")}; ${comment('// c')}`],
    ['TypeScript', 'return null', `${keyword('return')} ${literal('null')}`],
    ['js title="a.js"', 'f(0x1f)', `f(${literal('0x1f')})`],
    ['python', 'def f(): # "x"', `${keyword('def')} f(): ${comment('# "x"')}`],
    ['bash', 'echo "$HOME" $1', `echo ${string('"$HOME"')} ${name('$1')}`],
    ['sql', 'SELECT 1 -- one', `${keyword('SELECT')} ${literal('1')} ${comment('-- one')}`],
    ['json', '{"a": "b", "c": true}', `{${name('"a"')}: ${string('"b"')}, ${name('"c"')}: ${literal('true')}}`],
    ['yaml', '- a: "b" # c', `- ${name('a')}: ${string('"b"')} ${comment('# c')}`],
    ['toml', '[x]\na = 1', `${name('[x]')}\n${name('a')} = ${literal('1')}`],
    ['css', 'p { color: red; }', `p { ${name('color')}: red; }`],
    ['html', '<a href="b">c</a>', `${name('<a')} href=${string('"b"')}${name('>')}c${name('</a')}${name('>')}`],
    ['rust', "fn f<'a>() -> char { 'x' }", `${keyword('fn')} f<'a>() -> char { ${string("'x'")} }`],
    ['', 'no language', code('no language')],
    ['brainfuck', 'const a', code('const a')],
  ])('%s: %s', (info, text, painted) => {
    expect(lines(text, info)).toEqual(painted.split('\n'));
  });

  test('a comment of several lines is painted line by line, also before its end has come', () => {
    expect(lines('/* a\n\nb', 'ts')).toEqual([comment('/* a'), '', comment('b')]);
  });

  test('a word that contains a keyword is not a keyword', () => {
    expect(lines('iffy éif for_ ', 'ts')).toEqual(['iffy éif for_ ']);
  });
});

describe('a diff is coloured', () => {
  const DIFF = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same';
  const PAINTED = [bold('--- a/x'), bold('+++ b/x'), literal('@@ -1 +1 @@'), removed('-old'), added('+new'), ' same'];

  test.each(['diff', 'patch', ''])('as "%s"', (info) => {
    expect(lines(DIFF, info)).toEqual(PAINTED);
  });

  test('a list with dashes is none', () => {
    expect(lines('- a\n+ b', '')).toEqual([code('- a'), code('+ b')]);
  });
});

const LANGUAGES = [
  'ts',
  'c',
  'java',
  'go',
  'rust',
  'php',
  'python',
  'ruby',
  'sh',
  'docker',
  'sql',
  'lua',
  'json',
].concat(['yaml', 'toml', 'css', 'html', 'diff', '']);
const PIECES = [
  '"',
  "'",
  '`',
  '"""',
  '/*',
  '*/',
  '//',
  '#',
  '--',
  '\\',
  '\n',
  ' ',
  'if',
  '0x',
  '1.5',
  '<!--',
  '${',
  'a:',
  '- ',
];

test('colours add nothing to the text and remove nothing from it', () => {
  const texts = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string()), { maxLength: 30 });
  fc.assert(
    fc.property(fc.constantFrom(...LANGUAGES), texts, (info, parts) => {
      const text = parts.join('');
      expect(stripVTControlCharacters(lines(text, info).join('\n'))).toBe(text);
    }),
  );
});

test('only the sixteen colours of the terminal are used, and none without colour', () => {
  const all = LANGUAGES.flatMap((info) => lines('if "a" 1 # c // d\n+ e\n@@', info)).join('');
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  expect([...all.matchAll(/\x1b\[([^m]*)m/g)].map(([, style]) => style)).not.toContainEqual(
    expect.stringMatching(/[;:]/),
  );
  const plain = LANGUAGES.flatMap((info) => highlightCode('if "a" 1 // d', info, createColours(false))).join('');
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  expect(plain).not.toMatch(/\x1b\[(?!2m|22m|1m)/);
});

test('a long text that repeats what begins a string or comment takes no time', () => {
  for (const piece of PIECES)
    for (const info of LANGUAGES) {
      const started = performance.now();
      lines(piece.repeat(10_000), info);
      expect(performance.now() - started).toBeLessThan(1000);
    }
});
