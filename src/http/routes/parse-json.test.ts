import { expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

const MAX = 14 * 1024 * 1024;
const parse = (text: string) => parseJson(text, 'Not JSON.');

test('a body of one long string is parsed with any content', () => {
  for (const filling of ['A', ',', '\\"', '\\\\', '[{']) {
    const text = `{"file": "${filling.repeat((MAX - 12) / filling.length)}"}`;
    expect(parse(text)).toEqual(JSON.parse(text));
  }
});

test.each([
  ['keys', `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join()}}`],
  ['empty objects', `[${'{},'.repeat(80_000)}1]`],
  ['strings without anything between them', '""'.repeat(200_000)],
  ['values after a string that ends in a backslash', `["\\\\",${'1,'.repeat(150_000)}1]`],
  ['nested lists', '['.repeat(150_001)],
])('a body of very many %s is refused before it is parsed', (_what, text) => {
  expect(() => parse(text)).toThrow('too many values');
});

test('values up to the limit are parsed, and other texts are refused', () => {
  expect(parse(`[${'1,'.repeat(149_999)}1]`)).toHaveLength(150_000);
  expect(() => parse(`"${'x'.repeat(200_000)}`)).toThrow('Not JSON.');
});
