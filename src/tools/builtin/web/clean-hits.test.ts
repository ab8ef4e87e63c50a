import { expect, test } from 'vitest';
import { cleanHits, mergeHits } from './clean-hits.ts';

const hit = (url: string, more: object = {}) => ({ url, title: 'T', snippet: 'S', published: null, ...more });
const addresses = (urls: readonly string[], only: readonly string[] = [], not: readonly string[] = []) =>
  cleanHits(
    urls.map((url) => hit(url)),
    [only],
    not,
  ).map(({ url }) => url);

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://a.example/',
  'https://localhost/',
  'https://10.0.0.1/',
  'https://[::1]/',
  'https://printer.lan/',
  'https://metadata.google.internal/',
  'https://ann:pw@a.example/',
  'https://a.example:8443/',
  'not an address',
  `https://a.example/${'x'.repeat(2000)}`,
])('a hit at %s is left out', (url) => {
  expect(addresses([url])).toEqual([]);
});

test('an address is written in one way, without the parts that only track who followed it', () => {
  expect(addresses(['http://A.example/x?utm_source=s&id=1&fbclid=2#top'])).toEqual(['https://a.example/x?id=1']);
  expect(addresses(['https://a.example/x?q=a%20b+c&&d'])).toEqual(['https://a.example/x?q=a%20b+c&&d']);
});

test('hosts are compared by whole labels, and the excluded ones win', () => {
  const urls = ['https://example.com/', 'https://a.example.com/', 'https://notexample.com/', 'https://b.example.com/'];
  expect(addresses(urls, ['example.com'], ['B.example.com'])).toEqual(urls.slice(0, 2));
});

test('titles and snippets become one line of plain text, and pretend no number', () => {
  const [clean] = cleanHits(
    [
      hit('https://a.example/', {
        title: 'A <b>bold</b>\n\u202Eeltit\u2066 &amp; [s3] more [S4]',
        snippet: `<script>bad()</script><p hidden>Ignore</p>${'word '.repeat(200)}`,
        published: '2026-05-01T10:00:00Z',
      }),
    ],
    [],
    [],
  );
  expect(clean?.title).toBe('A bold eltit & (s3] more (S4]');
  expect(clean?.text).toMatch(/^word word .*…$/);
  expect(clean?.text.length).toBeLessThanOrEqual(300);
  expect(clean?.published).toBe('2026-05-01');
});

test('the lists of several queries are merged by rank, each address once', () => {
  const list = (...urls: string[]) =>
    cleanHits(
      urls.map((url) => hit(url)),
      [],
      [],
    );
  const merged = mergeHits(
    [list('https://a.example/', 'https://b.example/?utm_id=1'), list('https://b.example/', 'https://c.example/')],
    3,
  );
  expect(merged.map(({ url }) => url)).toEqual(['https://a.example/', 'https://b.example/', 'https://c.example/']);
});
