import { expect, test } from 'vitest';
import { createRobots } from './robots.ts';

const asking = (text: string, status = 200) => {
  let asked = 0;
  let now = 0;
  const get = async () => {
    asked++;
    return { status, body: Buffer.from(text) };
  };
  const mayRead = createRobots(get, () => now);
  return {
    may: (path: string) => mayRead(new URL(path, 'https://a.example')),
    count: () => asked,
    later: (ms: number) => (now += ms),
  };
};

test.each([
  ['nothing', '', '/x', true],
  ['everything', 'User-agent: *\nDisallow: /', '/x', false],
  ['an empty rule', 'User-agent: *\nDisallow:', '/x', true],
  ['others', 'User-agent: evil\nDisallow: /', '/x', true],
  ['this agent by its name', 'User-agent: *\nDisallow: /\n\nUser-agent: Reborn\nDisallow: /private', '/x', true],
  ['one of several names', 'User-agent: evil\nUser-agent: reborn\nDisallow: /', '/x', false],
  ['a longer rule that allows', 'user-agent:*\ndisallow: /a # no\nallow: /a/b', '/a/b/c', true],
  ['a shorter rule that allows', 'User-agent: *\nAllow: /a\nDisallow: /a/b', '/a/b/c', false],
  ['any characters', 'User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf', false],
  ['the end', 'User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf?z', true],
  ['a query', 'User-agent: *\nDisallow: /*?session=', '/x?session=1', false],
])('a file about %s', async (_what, text, path, allowed) => {
  expect(await asking(text).may(path)).toBe(allowed);
});

test('a missing file allows everything, and a broken site nothing', async () => {
  expect(await asking('User-agent: *\nDisallow: /', 404).may('/x')).toBe(true);
  expect(await asking('', 503).may('/x')).toBe(false);
});

test('a file is read once a day', async () => {
  const site = asking('');
  await site.may('/x');
  await site.may('/y');
  expect(site.count()).toBe(1);
  site.later(24 * 60 * 60 * 1000);
  await site.may('/x');
  expect(site.count()).toBe(2);
});
