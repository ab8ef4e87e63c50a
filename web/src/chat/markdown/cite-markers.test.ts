import { expect, test } from 'vitest';
import { type Citations, citeMarkers } from './cite-markers.ts';

const source = (number: number) => ({
  number,
  url: `https://a.example/${number}`,
  title: `Page ${number}`,
  published: null,
  how: 'read' as const,
});
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
  expect(cited.sources.map(({ number }) => number)).toEqual([7, 3]);
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
