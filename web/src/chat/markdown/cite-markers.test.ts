import { expect, test } from 'vitest';
import { type Citations, citeMarkers, toPlainText } from './cite-markers.ts';

const source = (number: number) => ({
  number,
  url: `https://a.example/${number}`,
  title: `Page ${number}`,
  published: null,
  how: 'read' as const,
});
const words = {
  sources: 'Sources',
  missing: 'Not there.',
  unchecked: 'Not compared.',
  unknown: 'No source.',
  page: (name: string, page: number) => `${name}, page ${page}`,
};
const mark = (text: string, marker: string, number: number, check: Citations['marks'][number]['check'] = 'read') => ({
  start: text.indexOf(marker),
  end: text.indexOf(marker) + marker.length,
  number,
  check,
});

test('markers become links that only this text has, and sources are numbered as they are named', () => {
  const text = 'One [s7], two [s3] and [s9].';
  const marks = [mark(text, '[s7]', 7), mark(text, '[s3]', 3, 'missing'), mark(text, '[s9]', 9, 'unknown')];
  const cited = citeMarkers(text, { marks, sources: [source(3), source(7)] }, false, 'k');
  expect(cited.text).toBe('One[1](#k-0), two[2](#k-1) and[?](#k-2).');
  expect(cited.sources).toEqual([source(7), source(3)]);
  expect(cited.marks.map(({ place, check }) => [place, check])).toEqual([
    [1, 'read'],
    [2, 'missing'],
    [undefined, 'unknown'],
  ]);
});

test('while an answer is written, no half of a marker is shown', () => {
  const whole = 'See [s1], `a[s1]` and [s12, p. 3] or [link](https://x.example)';
  const citations = { marks: [], sources: [source(1), source(12)] };
  for (let cut = 0; cut <= whole.length; cut++) {
    const { text } = citeMarkers(whole.slice(0, cut), citations, true, 'k');
    expect(text.replaceAll('`a[s1]`', '')).not.toMatch(/\[s\d*[^\]`]*$/);
  }
  expect(citeMarkers(whole, citations, true, 'k').text).toBe(
    'See[1](#k-0), `a[s1]` and[2](#k-1) or [link](https://x.example)',
  );
});

test('a text without citations stays as it is', () => {
  expect(citeMarkers('a [s1] [', undefined, true, 'k').text).toBe('a [s1] [');
});

test('what is copied or read aloud has numbers, the list of sources, and what is wrong', () => {
  const text = 'One [s7], two “x” [s3] and [s9].';
  const marks = [
    mark(text, '[s7]', 7),
    { ...mark(text, '[s3]', 3, 'missing'), quotation: 'x' },
    mark(text, '[s9]', 9, 'unknown'),
  ];
  const sources = [source(3), { ...source(7), title: 'A [b](c)', url: 'https://a.example/(7)' }];
  expect(toPlainText(text, { marks, sources }, words)).toBe(
    'One [1], two “x” [2] and [s9].\n\nSources:\n1. [A b c](https://a.example/%287%29)\n2. [Page 3](https://a.example/3)\n\n“x”: Not there.\n\n[s9]: No source.',
  );
  expect(toPlainText('Plain [s1].', undefined, words)).toBe('Plain [s1].');
});

const pageMark = (text: string, marker: string, file: string, page: number, check: 'quoted' | 'unknown' = 'quoted') => {
  const { start, end } = mark(text, marker, 0);
  return { start, end, file, page, check };
};

test('pages of documents are numbered with web pages, and one that does not exist has no number', () => {
  const text = 'A [a_b.pdf, p. 2], b [s7], c [a_b.pdf, p. 3], d [x.pdf, p. 1] and again [a_b.pdf, p.2].';
  const citations = {
    marks: [mark(text, '[s7]', 7)],
    sources: [source(7)],
    files: [
      pageMark(text, '[a_b.pdf, p. 2]', 'a_b.pdf', 2),
      pageMark(text, '[a_b.pdf, p. 3]', 'a_b.pdf', 3),
      pageMark(text, '[x.pdf, p. 1]', 'x.pdf', 1, 'unknown'),
      pageMark(text, '[a_b.pdf, p.2]', 'a_b.pdf', 2),
    ],
  };
  const cited = citeMarkers(text, citations, false, 'k');
  expect(cited.text).toBe('A[1](#k-0), b[2](#k-1), c[3](#k-2), d[?](#k-3) and again[1](#k-4).');
  expect(cited.sources).toEqual([{ file: 'a_b.pdf', page: 2 }, source(7), { file: 'a_b.pdf', page: 3 }]);
  expect(cited.marks[3]).toMatchObject({ place: undefined, source: { file: 'x.pdf', page: 1 }, check: 'unknown' });
  expect(toPlainText(text, citations, words)).toBe(
    'A [1], b [2], c [3], d [x.pdf, p. 1] and again [1].\n\nSources:\n1. `a_b.pdf`, page 2\n2. [Page 7](https://a.example/7)\n3. `a_b.pdf`, page 3\n\n[x.pdf, p. 1]: No source.',
  );
});
