import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isProven } from './sender-proof.ts';

const FROM = 'ann@example.com';
const proven = (...values: string[]) =>
  isProven(
    values.map((value) => ({ key: 'authentication-results', value })),
    'mx.example.net',
    FROM,
  );

test.each([
  ['DMARC', 'mx.example.net; dmarc=pass header.from=example.com'],
  ['DMARC without the domain', 'mx.example.net; dmarc=pass'],
  [
    'DMARC with comments and a version',
    'MX.example.NET 1; dmarc (v1) = pass (p=none dis=none) header.from=Example.com',
  ],
  [
    'DKIM of the domain',
    'mx.example.net; spf=fail smtp.mailfrom=x.test; dkim=pass (2048-bit key) header.d=example.com',
  ],
  ['DKIM with an identity', 'mx.example.net; dkim=pass header.i=@example.com header.b="ab=="'],
  ['SPF of the domain', 'mx.example.net; spf=pass smtp.mailfrom=bounces@example.com'],
  ['DKIM of a domain below', 'mx.example.net; dkim=pass header.d=mail.example.com'],
  ['one of several signatures', 'mx.example.net; dkim=pass header.d=list.test; dkim=pass header.d=example.com'],
  ['a sign-in', 'mx.example.net; auth=pass smtp.auth=ann@example.com'],
])('%s proves the sender', (_what, value) => {
  expect(proven(value)).toBe(true);
});

test.each([
  ['no verdict', []],
  ['a verdict of another server', ['evil.test; dmarc=pass header.from=example.com']],
  ['a forged verdict below the real one', ['mx.example.net; dmarc=fail', 'mx.example.net; dmarc=pass']],
  ['a forged verdict below one without findings', ['mx.example.net; none', 'mx.example.net; dmarc=pass']],
  ['SPF of another domain', ['mx.example.net; spf=pass smtp.mailfrom=mallory@evil.test']],
  ['SPF of a domain that ends the same', ['mx.example.net; spf=pass smtp.mailfrom=evilexample.com']],
  ['DKIM of a top-level domain', ['mx.example.net; dkim=pass header.d=com']],
  ['DMARC of another domain', ['mx.example.net; dmarc=pass header.from=evil.test']],
  ['a sign-in of someone else', ['mx.example.net; auth=pass smtp.auth=bob@example.com']],
  ['a result in a comment', ['mx.example.net; dmarc=fail (dmarc=pass; dmarc=pass)']],
  ['a result in quotes', ['mx.example.net; dmarc=fail reason="; dmarc=pass header.from=example.com"']],
  ['a comment that does not end', ['mx.example.net; dmarc=pass (']],
  ['a result of another method', ['mx.example.net; arc=pass header.from=example.com; iprev=pass']],
  ['softer results', ['mx.example.net; dmarc=bestguesspass; spf=softfail smtp.mailfrom=example.com; dkim=policy']],
])('%s does not', (_what, values) => {
  expect(proven(...values)).toBe(false);
});

test.each([
  ['ann@example.co.uk', 'co.uk', false],
  ['ann@example.co.uk', 'other.co.uk', false],
  ['ann@one.example.co.uk', 'two.example.co.uk', true],
  ['ann@one.github.io', 'github.io', false],
  ['ann@one.github.io', 'two.github.io', false],
])('%s and %s have one owner: %s', (from, domain, expected) => {
  const headers = [{ key: 'authentication-results', value: `mx.example.net; dkim=pass header.d=${domain}` }];
  expect(isProven(headers, 'mx.example.net', from)).toBe(expected);
});

test('any header is read without an error, and in time', () => {
  const part = fc.constantFrom('(', ')', '"', '\\', ';', '=', ' ', 'dmarc', 'pass', 'mx.example.net', '\n\t', '/');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      expect(typeof proven(parts.join(''))).toBe('boolean');
    }),
    { numRuns: 500 },
  );
  for (const piece of ['(', '"', '=', ';', 'a=b '])
    expect(typeof proven(`mx.example.net; ${piece.repeat(200_000)}`)).toBe('boolean');
});
