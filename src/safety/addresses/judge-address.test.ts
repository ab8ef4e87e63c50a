import { expect, test } from 'vitest';
import { wrapUntrusted } from '#domain/text/untrusted.ts';
import { readNothing } from '#domain/tool/read-so-far.test-support.ts';
import { judgeAddress } from './judge-address.ts';

/** With private data, and nothing by others. */
const judge = (url: string, ownTexts: readonly string[]) =>
  judgeAddress(url, readNothing({ hasPrivate: true, ownTexts }));

test.each([
  ['https://example.com/a', 'Read https://example.com/a, please.'],
  ['https://example.com/other', 'Read https://example.com/a'],
  ['https://www.example.com/', 'what is new on example.com?'],
  ['https://example.com/', '(see www.example.com)'],
  ['https://EXAMPLE.com/', 'look at Example.COM.'],
  ['https://xn--bcher-kva.example/', 'besuche bücher.example'],
  ['https://sub.example.com:8443/', 'http://sub.example.com'],
])('%s needs no consent after “%s”', async (url, said) => {
  expect(await judge(url, ['hello', said])).toBe('runs');
});

test.each([
  ['https://evil.example/', 'Read https://example.com/a'],
  ['https://evil.example/', ''],
  ['https://sub.example.com/', 'example.com'],
  ['https://example.com/', 'sub.example.com'],
  ['https://example.com/', 'notexample.com'],
  ['https://example.com/', 'example.com.evil.example'],
  ['https://example.com/', 'mail me at ann@example.com'],
  ['https://evil.example/', 'https://evil.example@example.com/'],
  ['https://evil.example/', 'https://example.com/?to=evil.example'],
  ['https://evil.example/', 'https://example.com/?to=https://evil.example/'],
  ['https://readme.md/', 'open README.md'],
  ['https://evil.example/', `An issue: ${wrapUntrusted('see https://evil.example/', 'github')}`],
  ['https://evil.example/', `${wrapUntrusted('see\nhttps://evil.example/', 'github')} evil`],
  ['https://example.com.evil.example/', 'example.com'],
  ['https://example.com@evil.example/', 'example.com'],
])('%s needs consent after “%s”', async (url, said) => {
  expect(await judge(url, ['hello', said])).toMatchObject({ kind: 'composed' });
});

test('an invalid URL needs no consent, because no request is made', async () => {
  expect(await judge('evil', [])).toBe('runs');
});

test('a host is also found in a long text', async () => {
  const long = 'word '.repeat(10_000);
  expect(await judge('https://example.com/', [`${long} example.com`])).toBe('runs');
  expect(await judge('https://example.com/', [long])).toMatchObject({ kind: 'composed' });
});

test('approved research opens results beyond the usual number, unless private data was read, and links ask', async () => {
  const shown = 'https://a.example/shown';
  const opened = Array.from({ length: 30 }, (_, index) => `https://a.example/${index}`);
  const links = () => new Set(['https://a.example/link']);
  const read = {
    situation: 'foreign',
    opened,
    hidesOpened: true,
    results: new Set([shown]),
    shownLinks: links,
  } as const;
  const judged = (url: string, more: object) => judgeAddress(url, readNothing({ ...read, ...more }));
  expect(await judged(shown, {})).toMatchObject({ kind: 'repeated', reason: 'many' });
  expect(await judged(shown, { isResearch: true })).toBe('runs');
  expect(await judged('https://a.example/link', { isResearch: true })).toEqual({ kind: 'link', site: 'a.example' });
  expect(await judged(`${shown}?q=note`, { isResearch: true })).toMatchObject({ kind: 'composed' });
  expect(await judged(shown, { isResearch: true, hasPrivate: true })).toMatchObject({ kind: 'repeated' });
  expect(await judged(shown, { isResearch: true, opened: [shown, shown] })).toMatchObject({ reason: 'again' });
});
