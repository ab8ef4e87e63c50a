import { expect, test } from 'vitest';
import { linkNumber, pageMark } from '../text/numbered-links.ts';
import { checkCitations } from './citations.ts';
import { withSourceList } from './cited-text.ts';
import { createMarkerStream, markersIn } from './markers.ts';
import { fold, hasQuotation } from './quotations.ts';
import type { NumberedSource } from './source.ts';

const PAGE = `The harbour of Lund was dredged in spring 2024. "It’s done," said Ann Dahl – the ferry runs twice a day, not more than 15 boats anchor here${linkNumber(1)}, and the toll is 1.5 crowns.`;
const page = (number: number, text: string, how: 'read' | 'found' = 'read'): NumberedSource => ({
  number,
  url: `https://a.example/${number}`,
  title: `Page ${number}`,
  published: null,
  how,
  text,
});
const SOURCES = [
  page(1, PAGE),
  page(2, 'The ferry is late, said the council on Monday evening.'),
  page(3, PAGE, 'found'),
];
const checksOf = (text: string) => checkCitations(text, SOURCES)?.marks.map(({ number, check }) => [number, check]);

test.each([
  ['a statement', 'It was dredged [s1].', [[1, 'read']]],
  ['a source that does not exist', 'It was dredged [s9].', [[9, 'unknown']]],
  ['a page that was only found', 'It was dredged [s3].', [[3, 'found']]],
  ['words of the page', 'They say “the harbour of Lund was dredged” [s1].', [[1, 'quoted']]],
  ['words that are not on it', 'They say “the harbour of Lund was closed” [s1].', [[1, 'missing']]],
  ['words not in a search result', 'They say “the harbour of Lund was closed” [s3].', [[3, 'missing']]],
  ['a term in quotation marks', 'The “toll” is low [s1].', [[1, 'read']]],
  [
    'several quotations, one of them wrong',
    '"the ferry runs twice a day" and "not more than 16 boats" [s1]',
    [[1, 'missing']],
  ],
  [
    'other words between two quotations',
    '"It" was said that the toll of the whole harbour is "low" [s1]',
    [[1, 'read']],
  ],
  [
    'a quotation of another marker',
    '"the ferry is late, said" [s2], and dredged [s1]',
    [
      [2, 'quoted'],
      [1, 'read'],
    ],
  ],
  [
    'two sources for the same words',
    '"the ferry is late, said" [s1][s2]',
    [
      [1, 'read'],
      [2, 'quoted'],
    ],
  ],
  [
    'two sources without the words',
    '"the ferry is never late" [s1], [s2]',
    [
      [1, 'missing'],
      [2, 'missing'],
    ],
  ],
  ['a marker inside the quotation marks', '"the ferry runs never [s1]"', [[1, 'missing']]],
  ['a quoted block', '> The harbour of Lund\n> was dredged in spring\n\n[s1]', [[1, 'quoted']]],
  ['an invented block', 'He said:\n\n> The harbour was closed in spring\n\n[s1]', [[1, 'missing']]],
  ['a page of a document', 'See there [s1, p. 7].', [[1, 'read']]],
  [
    'German, French and Japanese marks',
    '„the ferry runs never“ [s1] «the ferry runs twice a day» [s1]',
    [
      [1, 'missing'],
      [1, 'quoted'],
    ],
  ],
])('%s is checked', (_what, text, checks) => {
  expect(checksOf(text)).toEqual(checks);
});

test('an answer without markers has no citations, and code has no markers', () => {
  expect(checksOf('No [source], a[1], [S1] and [s].')).toBeUndefined();
  expect(checksOf('`a[s1]` and\n```js\na[s1]\n```\nthen [s1]')).toEqual([[1, 'read']]);
});

test('the sources are those that the answer names', () => {
  const { sources } = checkCitations('x [s3] y [s1] z [s9]', SOURCES) ?? { sources: [] };
  expect(sources).toEqual([
    { number: 3, url: 'https://a.example/3', title: 'Page 3', published: null, how: 'found' },
    { number: 1, url: 'https://a.example/1', title: 'Page 1', published: null, how: 'read' },
  ]);
});

test.each([
  'THE HARBOUR of Lund was dredged in spring 2024',
  "“It's done,” said Ann Dahl — the ferry",
  'the ferry runs twice a day,',
  'The harbour of Lund … the ferry runs twice a day',
  'The harbour of Lund [...] the toll is 1.5 crowns.',
  'dredged in\n spring\u00A02024',
  'not more than 15 boats anchor here, and the toll',
  'not more than 15 boats anchor here [1], and the toll',
  'the **ferry** runs twice a day',
  'dred\u00ADged in spring 2024',
])('%j is on the page', (quotation) => {
  expect(hasQuotation(fold(PAGE.replace(linkNumber(1), '')), quotation)).toBe(true);
});

test.each([
  'the ferry runs twice a day … The harbour of Lund',
  '5 boats anchor here, and the toll',
  'not more than 15 boats anchor h',
  '5 crowns',
  'the toll is 1',
  '…',
])('%j is not on the page', (quotation) => {
  expect(hasQuotation(fold(PAGE.replace(linkNumber(1), '')), quotation)).toBe(false);
});

/** Sentences of invented words, from a seed. */
function makeSentences(count: number): string[] {
  let state = 7;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const words =
    'the harbour council has more boats than islands – and “old” ferries don’t leave before 7:30 because fewer people pay 1,200 crowns for it'.split(
      ' ',
    );
  return Array.from({ length: count }, (_, index) => {
    const said = Array.from({ length: 9 + next(10) }, () => words[next(words.length)]).join(' ');
    return `In ${1200 + index} ${said}, which is less than ${10 + next(900)} tons.`;
  });
}

test('of 1,000 true quotations none is refused, and of 700 altered ones none is accepted', () => {
  const sentences = makeSentences(1_000);
  const folded = fold(sentences.join('\n'));
  const typed = (text: string) =>
    text.replaceAll('’', "'").replaceAll('–', '—').replaceAll('“', '"').replaceAll('”', '"').replaceAll(' ', '\u00A0');
  const altered = sentences.slice(0, 700).map((text, index) => {
    if (index % 3 === 0) return text.replace(/(\d) tons/, (_all, digit: string) => `${(Number(digit) + 1) % 10} tons`);
    if (index % 3 === 1) return text.replace('which is', 'which is not');
    return text.replace('less than', 'more than');
  });
  // As a book is set: lines end within words, with a hyphen.
  const set = fold(sentences.join('\n').replaceAll(/.{40}/g, (line) => line.replace(/(\p{L})(\p{L}+)$/u, '$1-\n$2')));
  expect(set.text).toBe(folded.text);
  expect(sentences.filter((text) => !hasQuotation(folded, typed(text)))).toEqual([]);
  expect(altered.filter((text) => sentences.includes(text))).toEqual([]);
  expect(altered.filter((text) => hasQuotation(folded, text))).toEqual([]);
});

test.each([
  ['the long-\nterm deposit of the tenant', 'the long-term deposit of the tenant', true],
  ['the deposit of the te-\n  nant is due', 'the deposit of the tenant is due', true],
  ['the de\u00AD\nposit of the tenant is due', 'the deposit of the tenant is due', true],
  ['in the years 2019–\n2021 it was paid', 'in the years 2019-2021 it was paid', true],
  ['in the years 2019-2021 it was paid', 'in the years 20192021 it was paid', false],
  ['at night it was -5 degrees in May', 'at night it was 5 degrees in May', false],
  ['pre- and post-war houses are old', 'preand post-war houses are old', false],
])('a hyphen at the end of a line makes no other word: %j has %j: %s', (text, quotation, isThere) => {
  expect(hasQuotation(fold(text), quotation)).toBe(isThere);
});

test('a stream that is cut anywhere gives the same texts and markers', () => {
  const text = 'Said [s1], [s12][s3, p. 7] but [x], [s] and [s12345] `a[s1]` [s';
  const whole = markersIn(text).map(({ start, end }) => text.slice(start, end));
  expect(whole).toEqual(['[s1]', '[s12]', '[s3, p. 7]']);
  for (let cut = 0; cut <= text.length; cut++)
    for (const pieces of [[text.slice(0, cut), text.slice(cut)], text.split('')]) {
      const stream = createMarkerStream();
      const given = [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
      expect(given.map((piece) => piece.text).join('')).toBe(text);
      expect(given.filter((piece) => piece.number !== undefined).map((piece) => piece.text)).toEqual(whole);
    }
});

test('a stream with documents that is cut anywhere gives the same markers', () => {
  const text = 'A [the lease.pdf, p. 7], [Smith, p. 1] [s1] `[a.pdf, p. 1]` [a.pdf, p. [b.docx, p.2] and [a';
  const whole = ['[the lease.pdf, p. 7]', '[s1]', '[b.docx, p.2]'];
  for (let cut = 0; cut <= text.length; cut++)
    for (const pieces of [[text.slice(0, cut), text.slice(cut)], text.split('')]) {
      const stream = createMarkerStream({ files: true });
      const given = [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
      expect(given.map((piece) => piece.text).join('')).toBe(text);
      expect(given.filter((piece) => piece.number ?? piece.page).map((piece) => piece.text)).toEqual(whole);
    }
  const stream = createMarkerStream({ files: true });
  expect(stream.push(`[${'a'.repeat(400)}`)).toHaveLength(1);
});

test('no more is held back than a marker needs', () => {
  const stream = createMarkerStream();
  expect(stream.push('a [')).toEqual([{ text: 'a ' }]);
  expect(stream.push('link')).toEqual([{ text: '[link' }]);
  expect(stream.push(' [s1234, p. 12345')).toEqual([{ text: ' [s1234, p. 12345' }]);
});

test('an answer for chats has numbers and a list of its sources, and says what is wrong', () => {
  const said = 'Dredged [s3], “the ferry was sold to others” [s1], dredged[s3] and [s9].';
  const sources = [
    ...SOURCES.slice(1),
    { ...page(1, PAGE), title: '![x](https://evil.example) @all _Harbour_', url: 'https://www.a.example/(1)' },
  ];
  expect(
    withSourceList(said, checkCitations(said, sources)),
  ).toBe(`Dredged [1], “the ferry was sold to others” [2], dredged [1] and [s9].

Sources:
1. [Page 3](https://a.example/3) – a.example (from the search result)
2. [x https: evil.example all Harbour](https://www.a.example/%281%29) – a.example

Not on the page: “the ferry was sold to others”.

There is no source s9.`);
  expect(withSourceList('No marker', undefined)).toBe('No marker');
});

const PDF = ['The rent of the flat is 900 euros.', '(no text)', 'Notice must be given three months before the end.']
  .map((words, index) => `${pageMark(index + 1)}\n${words}`)
  .join('\n\n');

test.each([
  ['words of the page', '“the rent of the flat is 900 euros” [s1, p. 1]', 'quoted'],
  ['words of another page', '“the rent of the flat is 900 euros” [s1, p. 3]', 'missing'],
  ['words of any page', '“the rent of the flat is 900 euros” [s1]', 'quoted'],
  ['no words', 'It can be ended [s1, p. 3].', 'read'],
  ['a page that does not exist', 'It can be ended [s1, p. 4].', 'unknown'],
])('a citation of a page of a PDF is compared with that page: %s', (_which, text, check) => {
  expect(checkCitations(text, [page(1, PDF)])?.marks).toMatchObject([{ check }]);
});

test('the mark of a page is not one of its words, and a web page has no pages', () => {
  expect(checkCitations('“is 900 euros. (no text) Notice must be” [s1]', [page(1, PDF)])?.marks).toMatchObject([
    { check: 'quoted' },
  ]);
  expect(checkCitations('“the ferry runs twice a day” [s1, p. 4]', SOURCES)?.marks).toMatchObject([
    { check: 'quoted' },
  ]);
});

test('readers of plain text learn that there is no such page', () => {
  const text = 'It can be ended [s1, p. 4].';
  expect(withSourceList(text, checkCitations(text, [page(1, PDF)]))).toContain('“Page 1” has no page 4.');
});

const PAGES = [
  { file: 'the lease.pdf', page: 7, text: 'The rent of the flat is 900 euros.' },
  { file: 'the lease.pdf', page: 8, text: '' },
  { file: 'the scan.pdf', page: 1, text: '', isPicture: true },
];

test.each([
  ['words of the page', '“the rent of the flat is 900 euros” [the lease.pdf, p. 7]', 'quoted'],
  ['other words', '“the rent of the flat is 950 euros” [the lease.pdf, p. 7]', 'missing'],
  ['words of another page', '“the rent of the flat is 900 euros” [the lease.pdf, p. 8]', 'missing'],
  ['words of a scan', '“the rent of the flat is 900 euros” [the scan.pdf, p. 1]', 'unchecked'],
  ['no words of a scan', 'It is dear [the scan.pdf, p. 1].', 'read'],
  ['no words', 'It is dear [the lease.pdf, p. 7].', 'read'],
  ['a page that does not exist', 'It is dear [the lease.pdf, p. 9].', 'unknown'],
  ['a document that does not exist', 'It is dear [a.docx, p. 7].', 'unknown'],
])('a citation of a document is compared with its page: %s', (_which, text, check) => {
  expect(checkCitations(text, [], PAGES)).toMatchObject({ marks: [], sources: [], files: [{ check }] });
});

test('what is not a document, or is in code, cites none', () => {
  expect(checkCitations('See [Smith 2020, p. 7] and `[the lease.pdf, p. 7]`.', [], PAGES)).toBeUndefined();
});

test('a page and a document can stand for the same words', () => {
  const text = '“the rent of the flat is 900 euros” [s1][the lease.pdf, p. 7]';
  expect(checkCitations(text, SOURCES, PAGES)).toMatchObject({
    marks: [{ check: 'read' }],
    files: [{ check: 'quoted' }],
  });
});

test('readers of plain text learn what is wrong with a citation of a document', () => {
  const text =
    '“the rent of the flat is 950 euros” [the lease.pdf, p. 7], [a.docx, p. 7], and “it is paid on the first of May” [the scan.pdf, p. 1].';
  expect(
    withSourceList(text, checkCitations(text, [], PAGES)),
  ).toBe(`“the rent of the flat is 950 euros” [1], [2], and “it is paid on the first of May” [3].

Sources:
1. \`the lease.pdf\`, p. 7
2. \`a.docx\`, p. 7
3. \`the scan.pdf\`, p. 1

Not on page 7 of “the lease.pdf”: “the rent of the flat is 950 euros”.

There is no page 7 of a document “a.docx” here.

Not checked, because page 1 of “the scan.pdf” has no text: “it is paid on the first of May”.`);
});

test('web pages and documents are numbered together, each page of a document by itself', () => {
  const text =
    'A [the lease.pdf, p. 7], b [s1], c [the lease.pdf, p. 8], d[the lease.pdf, p. 7] and `[the lease.pdf, p. 7]`.';
  expect(
    withSourceList(text, checkCitations(text, SOURCES, PAGES)),
  ).toBe(`A [1], b [2], c [3], d [1] and \`[the lease.pdf, p. 7]\`.

Sources:
1. \`the lease.pdf\`, p. 7
2. [Page 1](https://a.example/1) – a.example
3. \`the lease.pdf\`, p. 8`);
});
