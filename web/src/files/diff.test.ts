import { expect, test } from 'vitest';
import { diffLines, foldSame, type Line, pairLines } from './diff.ts';

const SIGNS = { same: ' ', removed: '-', added: '+' };
const show = (lines: readonly Line[]) => lines.map(({ kind, text }) => SIGNS[kind] + text);
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

test.each([
  ['', '', []],
  ['a\n', 'a\n', [' a']],
  ['a\n', 'a', [' a']],
  ['a\r\nb\r\n', 'a\nb\n', [' a', ' b']],
  ['', 'a\nb\n', ['+a', '+b']],
  ['a\nb\n', '', ['-a', '-b']],
  ['a\nb\nc\n', 'a\n2\nc\n', [' a', '-b', '+2', ' c']],
  ['a\nb\nc\na\nb\nb\na\n', 'c\nb\na\nb\na\nc\n', ['-a', '-b', ' c', '+b', ' a', ' b', '-b', ' a', '+c']],
])('from %j to %j', (before, after, shown) => {
  expect(show(diffLines(before, after))).toEqual(shown);
});

test('a diff leads from one text to the other, and is as short as possible', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed % below;
  };
  const write = () => Array.from({ length: random(12) }, () => 'abcd'[random(4)] ?? '');
  for (let round = 0; round < 500; round++) {
    const [a, b] = [write(), write()];
    const lines = diffLines(text(a), text(b));
    expect(lines.filter(({ kind }) => kind !== 'added').map((line) => line.text)).toEqual(a);
    expect(lines.filter(({ kind }) => kind !== 'removed').map((line) => line.text)).toEqual(b);
    expect(lines.filter(({ before }) => before !== undefined).map(({ before }) => before)).toEqual(
      a.map((_, i) => i + 1),
    );
    expect(lines.filter(({ kind }) => kind === 'same').length).toBe(longestCommon(a, b));
  }
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const [first, ...rest] = a;
  if (first === undefined || b.length === 0) return 0;
  const at = b.indexOf(first);
  const without = longestCommon(rest, b);
  return at < 0 ? without : Math.max(without, 1 + longestCommon(rest, b.slice(at + 1)));
}

test('texts that have little in common are shown as replaced', () => {
  const lines = (word: string) => text(Array.from({ length: 3000 }, (_, line) => `${word} ${line}`));
  const changed = diffLines(`head\n${lines('old')}`, `head\n${lines('new')}`);
  expect(changed.length).toBe(6001);
  expect(show(changed.slice(0, 2))).toEqual([' head', '-old 0']);
});

test('lines far from a change are folded', () => {
  const before = Array.from({ length: 20 }, (_, line) => String(line));
  const after = before.map((line) => (line === '10' ? 'ten' : line));
  const pieces = foldSame(diffLines(text(before), text(after)));
  expect(pieces.map(({ isFolded, lines }) => [isFolded, lines.length])).toEqual([
    [true, 7],
    [false, 8],
    [true, 6],
  ]);
  expect(foldSame(diffLines('a\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n')).map(({ isFolded }) => isFolded)).toEqual([
    false,
    false,
  ]);
});

test('in two columns, what replaces a line is beside it', () => {
  const pairs = pairLines(diffLines('a\nb\nc\n', 'a\n1\n2\nc\n'));
  expect(pairs.map(([one, other]) => [one?.text, other?.text])).toEqual([
    ['a', 'a'],
    ['b', '1'],
    [undefined, '2'],
    ['c', 'c'],
  ]);
});
