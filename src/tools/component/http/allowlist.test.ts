import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AllowedTarget } from '../capabilities/capabilities.ts';
import { getAllowedUrl } from './allowlist.ts';
import { RequestRefused } from './tool-http-failure.ts';

const ALLOWLIST: AllowedTarget[] = [
  { host: 'api.example.com', pathPrefix: '/v1/', methods: ['GET'] },
  { host: 'api.example.com', pathPrefix: '/v2', methods: ['POST'] },
  { host: '*.example.org', pathPrefix: '/', methods: ['GET', 'DELETE'] },
  { host: 'closed.example.com', pathPrefix: '/', methods: [] },
];

const allow = (url: string, method = 'GET') => getAllowedUrl(ALLOWLIST, method, url).href;
const refused = (words: string) =>
  expect.objectContaining({ name: 'RequestRefused', message: expect.stringContaining(words) });

test('what is listed is let through, as the parsed URL spells it', () => {
  expect(allow('https://api.example.com/v1/forecast?q=a b#part')).toBe('https://api.example.com/v1/forecast?q=a%20b');
  expect(allow('HTTPS://API.EXAMPLE.COM:443/v1/x')).toBe('https://api.example.com/v1/x');
  expect(allow('https://api.example.com/v2', 'POST')).toBe('https://api.example.com/v2');
  expect(allow('https://a.b.example.org', 'DELETE')).toBe('https://a.b.example.org/');
});

test.each([
  ['https://evil.example.net/v1/x', 'GET', 'host evil.example.net'],
  ['https://example.org/', 'GET', 'host example.org'],
  ['https://api.example.com.evil.net/v1/x', 'GET', 'host api.example.com.evil.net'],
  ['https://api.example.com./v1/x', 'GET', 'host api.example.com.'],
  ['https://api.example.com%2eevil.net/v1/x', 'GET', 'host'],
  ['https://api.example.com%2fevil.net/v1/x', 'GET', 'parsed'],
  ['https://api.example.com/v1/x', 'POST', 'method POST'],
  ['https://api.example.com/v2/x', 'GET', 'method GET'],
  ['https://closed.example.com/', 'GET', 'method GET'],
  ['https://api.example.com/', 'GET', 'path'],
  ['https://api.example.com/v1', 'GET', 'path'],
  ['https://api.example.com/v20', 'POST', 'path'],
  ['https://api.example.com/V1/x', 'GET', 'path'],
  ['https://api.example.com/%76%31/x', 'GET', 'path'],
  ['https://api.example.com//v1/x', 'GET', 'path'],
  ['https://api.example.com/v1/../v2', 'GET', '".."'],
  ['https://api.example.com/x/../v1/y', 'GET', '".."'],
  ['https://api.example.com/v1/%2e%2e/v2', 'GET', 'hides'],
  ['https://api.example.com/v1/%2Fx', 'GET', 'hides'],
  ['https://api.example.com/v1/%252e%252e/v2', 'GET', 'hides'],
  ['https://api.example.com/v1/\u2025/v2', 'GET', 'read as a slash or dot'],
  ['https://api.example.com/v1/%e2%80%a5/v2', 'GET', 'read as a slash or dot'],
  ['https://api.example.com\\v1\\x', 'GET', 'backslash'],
  ['https://api.example.com\\@evil.net/v1/x', 'GET', 'backslash'],
  ['https://api.example.com/v1/.\t./v2', 'GET', 'control'],
  ['https://user@api.example.com/v1/x', 'GET', 'user name'],
  ['https://user:password@api.example.com/v1/x', 'GET', 'user name'],
  ['https://@api.example.com/v1/x', 'GET', 'user name'],
  ['https://api.example.com@evil.net/v1/x', 'GET', 'user name'],
  ['https://api.example.com:8443/v1/x', 'GET', 'port'],
  ['https://127.0.0.1/v1/x', 'GET', 'IP address'],
  ['https://2130706433/v1/x', 'GET', 'IP address'],
  ['https://0177.0.0.1/v1/x', 'GET', 'IP address'],
  ['https://0x7f000001/v1/x', 'GET', 'IP address'],
  ['https://127.1/v1/x', 'GET', 'IP address'],
  ['https://１２７.０.０.１/v1/x', 'GET', 'IP address'],
  ['https://[::1]/v1/x', 'GET', 'IP address'],
  ['https://[::ffff:7f00:1]/v1/x', 'GET', 'IP address'],
  ['http://api.example.com/v1/x', 'GET', 'https://'],
  ['//api.example.com/v1/x', 'GET', 'https://'],
  ['https:api.example.com/v1/x', 'GET', 'https://'],
  ['https:/api.example.com/v1/x', 'GET', 'https://'],
  ['https:///api.example.com/v1/x', 'GET', 'https://'],
  ['https:\\\\api.example.com/v1/x', 'GET', 'https://'],
  [' https://api.example.com/v1/x', 'GET', 'https://'],
  ['file:///etc/passwd', 'GET', 'https://'],
  ['/v1/x', 'GET', 'https://'],
  ['', 'GET', 'https://'],
])('%j with %s is refused: %s', (url, method, words) => {
  expect(() => allow(url, method)).toThrow(refused(words));
});

const part = fc.oneof(
  fc.constantFrom(
    'https://',
    'http://',
    'api.example.com',
    'a.example.org',
    '@',
    ':',
    '/',
    '\\',
    '//',
    '/v1/',
    '/v2',
    '..',
    '%2e',
  ),
  fc.constantFrom(
    '?',
    '#',
    ';',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    '\t',
    '\n',
    ' ',
    '%00',
    '%2f',
    'evil.net',
    '.',
    '。',
    'é',
    '%',
  ),
  fc.string({ maxLength: 3, unit: 'binary' }),
);

test('no spelling of a URL gets anywhere that is not listed', () => {
  let through = 0;
  const urls = fc
    .array(part, { maxLength: 8 })
    .chain((parts) =>
      fc.constantFrom(
        parts.join(''),
        `https://api.example.com/v1/${parts.join('')}`,
        `https://api.example.com${parts.join('')}`,
      ),
    );
  fc.assert(
    fc.property(urls, (source) => {
      const found = attempt(source);
      if (found instanceof RequestRefused) return;
      through++;
      expect(found).toMatch(/^https:\/\/(api\.example\.com\/v1\/|[^/?#@:]+\.example\.org(\/|$))/);
      expect(found).not.toMatch(/^[^?]*(\\|%2e|%2f|%5c|%00|\/\.\.?(\/|\?|$))/i);
    }),
    { numRuns: 20_000 },
  );
  expect(through).toBeGreaterThan(100);
});

function attempt(source: string): unknown {
  try {
    return allow(source);
  } catch (error) {
    return error;
  }
}
