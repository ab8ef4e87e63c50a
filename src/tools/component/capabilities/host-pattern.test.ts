import { expect, test } from 'vitest';
import { coversHosts, hostPatternProblem, matchesHost } from './host-pattern.ts';

test.each([
  'api.example.com',
  '*.example.com',
  'API.Example.com',
  'xn--mnchen-3ya.example',
  '1.2.example',
  'a-b.c1.io',
])('%s is a host to be granted', (pattern) => {
  expect(hostPatternProblem(pattern)).toBeUndefined();
});

test.each([
  ['https://api.example.com', 'scheme'],
  ['api.example.com/v1', 'path_prefix'],
  ['api.example.com:8443', 'port'],
  ['user@api.example.com', 'user name'],
  ['10.0.0.1', 'IP address'],
  ['10.1', 'IP address'],
  ['2130706433', 'IP address'],
  ['0x7f.1', 'IP address'],
  ['example.0x7f', 'IP address'],
  ['0177.0.0.1', 'IP address'],
  ['::1', 'IP address'],
  ['[::1]', 'IP address'],
  ['münchen.example', 'xn--mnchen-3ya.example'],
  ['*', '"*"'],
  ['*.*.example.com', '"*"'],
  ['api.*.com', '"*"'],
  ['a*.example.com', '"*"'],
  ['*.com', 'dot'],
  ['localhost', 'dot'],
  ['', 'host name'],
  ['*.', 'host name'],
  ['api.example.com.', 'host name'],
  ['.example.com', 'host name'],
  ['a..example.com', 'host name'],
  ['-a.example.com', 'host name'],
  ['a_b.example.com', 'host name'],
  ['api.example.com\n', 'host name'],
  ['api example.com', 'host name'],
  [`${'a'.repeat(64)}.com`, 'host name'],
  [`${'a.'.repeat(130)}com`, '253'],
])('%j is none, and the problem says "%s"', (pattern, words) => {
  expect(hostPatternProblem(pattern)).toContain(words);
});

test('a name matches itself alone', () => {
  expect(matchesHost('example.com', 'example.com')).toBe(true);
  for (const host of ['www.example.com', 'example.com.', 'example.co', 'badexample.com'])
    expect(matchesHost('example.com', host)).toBe(false);
});

test('a star matches what is below, at any depth, and not the apex', () => {
  for (const host of ['a.example.com', 'a.b.c.example.com']) expect(matchesHost('*.example.com', host)).toBe(true);
  for (const host of ['example.com', '.example.com', 'badexample.com', 'example.com.evil.net', 'a.example.com.'])
    expect(matchesHost('*.example.com', host)).toBe(false);
});

test.each([
  ['a.example.com', 'a.example.com', true],
  ['*.example.com', 'a.example.com', true],
  ['*.example.com', '*.example.com', true],
  ['*.example.com', '*.a.example.com', true],
  ['*.example.com', 'example.com', false],
  ['a.example.com', '*.a.example.com', false],
  ['a.example.com', '*.example.com', false],
  ['*.a.example.com', '*.example.com', false],
])('that %s covers %s is %s', (outer, inner, covers) => {
  expect(coversHosts(outer, inner)).toBe(covers);
});
