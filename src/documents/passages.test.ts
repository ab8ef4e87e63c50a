import { expect, test } from 'vitest';
import { splitPages } from './passages.ts';

const page = (...texts: string[]) => ({ label: 'page 1', blocks: texts.map((text) => ({ heading: '', text })) });

test('a short page is one passage, and no passage is part of two pages', () => {
  const passages = splitPages([
    page('one', 'two'),
    { label: 'page 2', blocks: [{ heading: 'Rent', text: 'three' }] },
    page(),
  ]);

  expect(passages).toEqual([
    { page: 1, label: 'page 1', heading: '', text: 'one\n\ntwo' },
    { page: 2, label: 'page 2', heading: 'Rent', text: 'three' },
  ]);
});

test.for([
  ['words', 'lorem ipsum dolor sit amet. '.repeat(500)],
  ['lines', 'a line of a table\n'.repeat(300)],
  ['one long word', 'x'.repeat(20_000)],
  ['characters of several bytes', '漢字かな交じり文。'.repeat(800)],
  ['pairs', '🦊'.repeat(3000)],
] as const)('%s are split into passages of at most 1,600 bytes, and nothing is lost', ([, text]) => {
  const passages = splitPages([page(text)]);

  for (const { text: piece } of passages) {
    expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(1600);
    expect(piece.isWellFormed()).toBe(true);
  }
  expect(
    passages
      .map((passage) => passage.text)
      .join('')
      .replaceAll(/\s/g, ''),
  ).toBe(text.replaceAll(/\s/g, ''));
});

test('a passage begins with another heading, unless the one before is very short', () => {
  const blocks = [
    { heading: 'A', text: 'short' },
    { heading: 'A > B', text: 'b'.repeat(400) },
    { heading: 'C', text: 'c' },
  ];

  expect(splitPages([{ label: '', blocks }]).map(({ heading }) => heading)).toEqual(['A > B', 'C']);
});
