import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBelow, pathProblem } from './path-spelling.ts';

test.each([
  '/',
  '/v1/forecast',
  '/v1//x',
  '/v1/a.b/c..d',
  '/v1/...x',
  '/M%C3%BCnchen',
  '/100%25',
  '/a%20b',
  '/a;b=1',
  '/À/%C3%80',
])('%s is as plain as it looks', (path) => {
  expect(pathProblem(path)).toBeUndefined();
});

test.each([
  '/v1/../admin',
  '/v1/..',
  '/v1/./x',
  '/v1/%2e%2e/admin',
  '/v1/.%2E/admin',
  '/v1/a%2eb',
  '/v1/%2fadmin',
  '/v1/x%2F..%2Fadmin',
  '/v1\\admin',
  '/v1/%5c..%5cadmin',
  '/v1/%00',
  '/v1/x%0d%0aHost:%20evil',
  '/v1/%7f',
  '/v1/.\t./admin',
  '/v1/.\n./admin',
  '/v1/\0',
  '/v1/%252e%252e/admin',
  '/v1/%25%32%65%25%32%65/admin',
  '/v1/%252fadmin',
  '/v1/%25252525252e',
  '/v1/100%25zz%252e',
  '/v1/%252525252541',
  '/v1/..;/admin',
  '/v1/..;a=b/admin',
  '/v1/..%3b/admin',
  '/v1/.%20.',
  '/v1/..%20/admin',
  '/v1/.. /admin',
  '/v1/.../admin',
  '/v1/%',
  '/v1/%2',
  '/v1/%zz',
  '/v1/%u002e',
  '/v1/%c0%ae%c0%ae/admin',
  '/v1/%ff',
])('%j is refused', (path) => {
  expect(pathProblem(path)).toEqual(expect.any(String));
});

test('a prefix ends at the border of a segment', () => {
  for (const path of ['/v1', '/v1/', '/v1/x']) expect(isBelow('/v1', path)).toBe(true);
  for (const path of ['/v10', '/v1x', '/v', '/', '/V1', '/v2/v1']) expect(isBelow('/v1', path)).toBe(false);
  expect(isBelow('/v1/', '/v1/x')).toBe(true);
  expect(isBelow('/v1/', '/v1')).toBe(false);
  expect(isBelow('/', '/anything')).toBe(true);
});

const piece = fc.oneof(
  fc.constantFrom('v1', 'admin', 'a', '.', '..', '/', '//', '\\', ';', ';x', ' ', '\t', '?', 'é', '%C3%A9', '%'),
  fc.constantFrom('%2e', '%2E', '%2f', '%5C', '%25', '%32', '%65', '2e', '2f', '%3b', '%20', '%09', '%00', '%c0%ae'),
  fc.constantFrom('%252e', '%252f', '%25252e'),
);

test('no accepted spelling leaves its prefix, for any server', () => {
  let through = 0;
  const spellings = fc.array(piece, { maxLength: 12 }).map((pieces) => `/v1/${pieces.join('')}`);
  const leavesPrefix = (path: string) => servers.some((read) => !/^\/v1(\/|$)/.test(read(path)));
  fc.assert(
    fc.property(spellings, (path) => {
      if (pathProblem(path) !== undefined) return;
      through++;
      expect(leavesPrefix(path)).toBe(false);
    }),
    { numRuns: 20_000, examples: [['/v1/a/b.c'], ['/v1/é;x']] },
  );
  expect(through).toBeGreaterThan(100);
  expect(leavesPrefix('/v1/%252e%252e/admin')).toBe(true);
  expect(leavesPrefix('/v1/a/..;x\\..')).toBe(true);
});

/** Servers that decode up to three times, and then take out what they don't like and resolve the dots. */
const servers = [0, 1, 2, 3].flatMap((times) =>
  [false, true].map((lenient) => (path: string) => {
    let read = path;
    for (let time = 0; time < times; time++)
      read = read.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (lenient)
      read = read
        .replaceAll('\\', '/')
        .replace(/;[^/]*/g, '')
        .replace(/[\0\s]/g, '');
    return resolveDots(read);
  }),
);

function resolveDots(path: string): string {
  const resolved: string[] = [];
  for (const segment of path.split('/').filter((part) => part !== '' && part !== '.'))
    if (segment === '..') resolved.pop();
    else resolved.push(segment);
  return `/${resolved.join('/')}`;
}
