import { expect, test } from 'vitest';
import { createPageCache } from './page-cache.ts';

const url = new URL('https://a.example/x');
const sent = (bytes = 1, headers: Record<string, string> = {}, status = 200) => ({
  answer: { status, headers, body: new Uint8Array(bytes) },
  url,
});

test('a page is kept for 15 minutes, for the user it was sent for', () => {
  let now = 0;
  const cache = createPageCache(() => now);
  cache.keep('ann', url, sent());
  now = 14 * 60_000;
  expect(cache.find('ann', new URL('https://a.example/x#there'))).toMatchObject({ url, ageMs: now });
  expect(cache.find('bob', url)).toBeUndefined();
  expect(cache.find('ann', new URL('https://a.example/x?y'))).toBeUndefined();
  now = 15 * 60_000;
  expect(cache.find('ann', url)).toBeUndefined();
});

test('a page that must not be stored, and one that is not there, are not kept', () => {
  const cache = createPageCache();
  cache.keep('ann', url, sent());
  cache.keep('ann', url, sent(1, { 'cache-control': 'private, No-Store' }));
  expect(cache.find('ann', url)).toBeUndefined();
  cache.keep('ann', url, sent(1, {}, 404));
  expect(cache.find('ann', url)).toBeUndefined();
});

test('the oldest pages make room', () => {
  const cache = createPageCache();
  const at = (name: string) => new URL(name, url);
  for (const name of ['/1', '/2', '/3', '/4']) cache.keep('ann', at(name), sent(10 * 1024 * 1024));
  expect(['/1', '/2', '/3', '/4'].map((name) => cache.find('ann', at(name)) !== undefined)).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
