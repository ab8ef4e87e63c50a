import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeInvisible, exactJson } from './exact-json.ts';

const withoutSpace = (json: string) => json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, '$1');

test('JSON is laid out like JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (json) => {
      const { text } = exactJson(json);
      expect(withoutSpace(text)).toBe(escapeInvisible(withoutSpace(json)));
      expect(text).toBe(escapeInvisible(JSON.stringify(JSON.parse(json), null, 2)));
    }),
  );
});

test('a repeated key and a long number stay as written, and a warning names the key', () => {
  const { text, warnings } = exactJson(
    String.raw`{"to":"eve","t\u006f":"ann","amount":12345678901234567891,"in":{"to":1.0}}`,
  );
  expect(text).toBe(
    String.raw`{
  "to": "eve",
  "t\u006f": "ann",
  "amount": 12345678901234567891,
  "in": {
    "to": 1.0
  }
}`,
  );
  expect(warnings).toEqual([
    String.raw`The key "t\u006f" appears more than once. The tool decides which value counts.`,
  ]);
});

test.each([
  ['a bidi override', 'a\u202eb', String.raw`a\u202eb`],
  ['a bidi isolate', '\u2066', String.raw`\u2066`],
  ['a zero-width space', 'pro\u200bject', String.raw`pro\u200bject`],
  ['a Hangul filler', '\u3164', String.raw`\u3164`],
  ['a soft hyphen', '\u00ad', String.raw`\u00ad`],
  ['a no-break space', '\u00a0', String.raw`\u00a0`],
  ['blank braille', '\u2800', String.raw`\u2800`],
  ['a tag character', '\u{e0041}', String.raw`\udb40\udc41`],
  ['a variation selector', '\ufe0f', String.raw`\ufe0f`],
  ['an escape sequence', '\u001b[8m', String.raw`\u001b[8m`],
  ['a carriage return', 'a\rb', String.raw`a\u000db`],
  ['half a surrogate pair', '\ud83d', String.raw`\ud83d`],
  ['a line separator', '\u2028', String.raw`\u2028`],
  ['a pile of marks', `a${'\u0301'.repeat(6)}`, `a${'\u0301'.repeat(4)}${String.raw`\u0301\u0301`}`],
])('%s becomes visible', (_, hidden, shown) => {
  expect(escapeInvisible(hidden)).toBe(shown);
  expect(exactJson(hidden).warnings).toHaveLength(1);
});

test('ordinary text of any script stays as it is', () => {
  const ordinary = 'Grüße, 漢字, Ελληνικά, שלום, مرحبا, ภาษาไทย, हिन्दी, 😀 "€5"\n';
  expect(exactJson(ordinary)).toEqual({ text: ordinary, warnings: [] });
});

test('a hostile depth is laid out in bounded memory', () => {
  const depth = 20_000;
  const { text } = exactJson(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  expect(text.length).toBeLessThan(depth * 100);
});
