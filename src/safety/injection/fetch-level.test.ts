import { expect, test } from 'vitest';
import { wrapUntrusted } from '#domain/text/untrusted.ts';
import { fetchLevel } from './fetch-level.ts';

test.each([
  ['https://example.com/a', 'Read https://example.com/a, please.'],
  ['https://example.com/other', 'Read https://example.com/a'],
  ['https://www.example.com/', 'what is new on example.com?'],
  ['https://example.com/', '(see www.example.com)'],
  ['https://EXAMPLE.com/', 'look at Example.COM.'],
  ['https://xn--bcher-kva.example/', 'besuche bücher.example'],
  ['https://sub.example.com:8443/', 'http://sub.example.com'],
])('%s needs no consent after “%s”', async (url, said) => {
  expect(await fetchLevel(url, ['hello', said])).toBe('allow');
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
  expect(await fetchLevel(url, ['hello', said])).toBe('ask');
});

test('an invalid URL needs no consent, because no request is made', async () => {
  expect(await fetchLevel('evil', [])).toBe('allow');
});

test('a host is also found in a long text', async () => {
  const long = 'word '.repeat(10_000);
  expect(await fetchLevel('https://example.com/', [`${long} example.com`])).toBe('allow');
  expect(await fetchLevel('https://example.com/', [long])).toBe('ask');
});
