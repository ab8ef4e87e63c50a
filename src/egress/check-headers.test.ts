import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkHeaders } from './check-headers.ts';
import { EgressRefused } from './egress-failure.ts';

test('ordinary headers pass', () => {
  const headers = { Authorization: 'Bearer a.b-c', 'X-Name': 'Bücher\tund mehr', accept: '*/*', empty: '' };
  expect(() => checkHeaders(headers)).not.toThrow();
});

describe('refused headers', () => {
  test.each([
    'Host',
    'Content-Length',
    'transfer-encoding',
    'Connection',
    'KEEP-ALIVE',
    'te',
    'Trailer',
    'upgrade',
    'Via',
    'Proxy-Authorization',
    'Sec-WebSocket-Key',
  ])('a connection header: %s', (name) => {
    expect(() => checkHeaders({ [name]: 'a' })).toThrow(`${name} is set for you`);
  });

  test.each(['', 'a b', 'a:', 'a\r\nb', 'a\0', 'ä', '(a)', ' a', 'a\n'])('the name %j', (name) => {
    expect(() => checkHeaders({ [name]: 'a' })).toThrow(EgressRefused);
  });

  test.each(['a\r\nx: y', 'a\n', '\ra', 'a\0b', 'a\u007f', '\u010d\u010a', 'a\u001bb'])('the value %j', (value) => {
    expect(() => checkHeaders({ a: value })).toThrow(EgressRefused);
  });

  test('one name twice, in different case', () => {
    expect(() => checkHeaders({ Authorization: 'a', authorization: 'b' })).toThrow('sent twice');
  });
});

test('every accepted header is exactly one line', () => {
  const text = fc.string({
    unit: fc
      .oneof(fc.integer({ min: 97, max: 122 }), fc.nat(0x1ff), fc.constantFrom(10, 13))
      .map((code) => String.fromCodePoint(code)),
  });
  fc.assert(
    fc.property(text, text, (name, value) => {
      try {
        checkHeaders({ [name]: value });
      } catch {
        return true;
      }
      return /^[^\s:]+: [^\r\n\0]*$/.test(`${name}: ${value}`);
    }),
  );
});

test('a refusal does not contain the value, which may be a secret', () => {
  expect(() => checkHeaders({ authorization: 'hidden\n' })).toThrow(/^(?!.*hidden)/);
});
