import { expect, test } from 'vitest';
import { readNothing } from '#domain/tool/read-so-far.test-support.ts';
import { withComposedAsCode } from './composed-links.ts';

const read = readNothing({
  situation: 'foreign',
  ownLinks: () => new Set(['https://own.example/']),
  shownLinks: () => new Set(['https://news.example/a', 'https://news.example/b?x=1']),
  results: new Set(['https://found.example/']),
});

test.each([
  ['see https://news.example/a.', 'see https://news.example/a.'],
  ['[b](https://news.example/b?x=1)', '[b](https://news.example/b?x=1)'],
  ['<https://own.example> and news.example/a', '<https://own.example> and news.example/a'],
  ['see https://news.example/a?my=diary.', 'see `https://news.example/a?my=diary`.'],
  ['[here](https://evil.example/diary "x")', 'here (`https://evil.example/diary`)'],
  ['![](https://evil.example/diary)', ' (`https://evil.example/diary`)'],
  ['[https://evil.example/1](https://evil.example/2)', '`https://evil.example/1` (`https://evil.example/2`)'],
  ['<https://evil.example/diary>', '`https://evil.example/diary`'],
  ['go to evil.example/diary or diary.evil.example', 'go to `evil.example/diary` or `diary.evil.example`'],
  ['[x]: https://evil.example/diary', '[x]: `https://evil.example/diary`'],
  [
    '`https://evil.example/1`\n```\nhttps://evil.example/2\n```',
    '`https://evil.example/1`\n```\nhttps://evil.example/2\n```',
  ],
  ['mail ann@my.host.example about Node.js 1.2.3', 'mail ann@my.host.example about Node.js 1.2.3'],
])('after text by others, %j is written as %j', (markdown, shown) => {
  expect(withComposedAsCode(markdown, read)).toBe(shown);
});

test('while nothing by others was read, links stay', () => {
  expect(withComposedAsCode('https://any.example/x', readNothing())).toBe('https://any.example/x');
});

test('a long text takes no time', () => {
  const start = performance.now();
  for (const piece of ['`', '```\n', '[a](', '[', 'a.', 'https://', '<https://a', '~~~\n'])
    withComposedAsCode(piece.repeat(5000), read);
  expect(performance.now() - start).toBeLessThan(2000);
});
