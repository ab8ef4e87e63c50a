import { expect, test } from 'vitest';
import { packNumbered, pageTextOf, unpackNumbered, withoutMarks } from '#domain/text/numbered-links.ts';
import { parseHtml } from './html-to-text.ts';
import { mainLines, numberLinks } from './main-text.ts';

const lines = (html: string) => mainLines(parseHtml(html, new URL('https://a.example/')).lines);
const read = (html: string) => pageTextOf(numberLinks(lines(html)).text);
const PROSE = 'The harbour was dredged in spring, and since then the ferry runs again twice a day, even in winter.';
const around = (what: string) => `${what}<h1>Harbour</h1><p>${PROSE}</p><p>${PROSE}</p><p>${PROSE}</p>`;

test.each([
  ['a menu', '<nav><p>BESIDE it all.</p></nav>'],
  ['an aside', `<aside><p>BESIDE. ${PROSE}</p></aside>`],
  ['a footer', '<footer>BESIDE</footer>'],
  ['a form', '<form><p>BESIDE</p></form>'],
  ['an element with a role', '<div role="navigation"><p>BESIDE</p></div>'],
  ['an element with a class', '<div class="left side-bar"><p>BESIDE</p></div>'],
  ['an element with an id', '<section id="cookie-notice"><p>BESIDE</p></section>'],
  ['a line of links', '<p><a href="/x">BESIDE</a> | <a href="/y">more</a></p>'],
])('%s is left out', (_what, html) => {
  expect(read(around(html))).toBe(`# Harbour\n\n${PROSE}\n\n${PROSE}\n\n${PROSE}`);
});

test('a page that is one large form is read, without its menu', () => {
  expect(read(`<form>${around('<nav>BESIDE</nav>')}</form>`)).toBe(`# Harbour\n\n${PROSE}\n\n${PROSE}\n\n${PROSE}`);
});

test('an article whose class looks like an aside is read', () => {
  expect(read(`<div class="comments">${around('')}</div><p>${PROSE}</p>`)).toContain('# Harbour');
});

test('what is in main is preferred, unless it is only a teaser', () => {
  const teaser = '<p>Short, but it has an end: here it is, with eighty letters or more in one line.</p>';
  expect(read(`<p>BESIDE. ${PROSE}</p><main>${around('')}</main>`)).not.toContain('BESIDE');
  expect(read(`<main>${teaser}</main>${around('')}`)).toContain('# Harbour');
});

test('a long table after a paragraph is kept whole, and so is a page without sentences', () => {
  const rows = Array.from({ length: 40 }, (_, n) => `<tr><td>Row ${n}<td>${n}</tr>`).join('');
  expect(read(`${around('')}<table>${rows}</table>`)).toContain('Row 39 | 39');
  expect(read('<ul><li>one<li><a href="/2">two</a></ul>')).toBe('- one\n- two');
});

test('Chinese sentences are paragraphs, although they are short', () => {
  const said = '港口委员会决定渡轮每小时出发。因为春天往来岛屿之间的旅客增加了。';
  expect(read(`<ul><li><a href="/1">新闻</a></ul>${`<p>${said}</p>`.repeat(3)}`)).toBe([said, said, said].join('\n\n'));
});

test('the number of a link differs from the words of the page', () => {
  const page = numberLinks(lines(around(`<p>See <a href="/x">x</a> and a[1] \u2060 [1]\u2060. ${PROSE}</p>`)));
  expect(withoutMarks(page.text)).toContain('See x [1] and a[1] [1]. The');
  expect(pageTextOf(page.text)).toContain('See x and a[1] [1]. The');
  expect(unpackNumbered(packNumbered(page))).toEqual(page);
  expect(pageTextOf(packNumbered(page))).toBe(pageTextOf(page.text));
  expect(page.links).toEqual(['https://a.example/x']);
});
