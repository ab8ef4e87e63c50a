import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createColours } from './colours.ts';
import { createMarkdown } from './render-markdown.ts';
import { settledPieces } from './streamed-markdown.ts';

test('paragraphs are cut apart, code and lists are not', () => {
  expect(settledPieces('one\n\ntwo')).toEqual(['one\n', 'two']);
  expect(settledPieces('```\na\n\nb\n```\n\nafter')).toEqual(['```\na\n\nb\n```\n', 'after']);
  expect(settledPieces('- a\n\n- b\n\n  of b')).toEqual(['- a\n\n- b\n\n  of b']);
  expect(settledPieces('~~~~\n~~~\n\nstill code')).toHaveLength(1);
});

test('no text is lost, wherever the stream is cut', () => {
  fc.assert(fc.property(fc.string(), (text) => settledPieces(text).join('\n') === text));
});

const BLOCKS = [
  '# Title',
  'Some **bold** words.',
  '```ts\nconst a = 1;\n\nrun(a);\n```',
  '> quoted',
  'A line\nand another',
  '| a | b |\n|---|---|\n| 1 | 2 |',
];

test('a text that has grown piece by piece looks like one that came whole', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...BLOCKS), { maxLength: 6 }),
      fc.integer({ min: 1, max: 7 }),
      (blocks, step) => {
        const markdown = createMarkdown(createColours(true));
        const text = blocks.join('\n\n');
        let streamed: string[] = [];
        for (let end = 0; end <= text.length + step; end += step) streamed = markdown(text.slice(0, end), 40, true);
        expect(streamed).toEqual(markdown(text, 40, false));
      },
    ),
    { numRuns: 60 },
  );
});
