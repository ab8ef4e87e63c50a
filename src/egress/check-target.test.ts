import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTarget } from './check-target.ts';
import { EgressRefused } from './egress-failure.ts';

test('a URL is normalised', () => {
  expect(checkTarget('GET', 'HTTPS://Bücher.Example:8443/a/../b?c#d', 8443).href).toBe(
    'https://xn--bcher-kva.example:8443/b?c#d',
  );
  expect(checkTarget('PATCH', new URL('https://a_b.example.com')).hostname).toBe('a_b.example.com');
});

describe('refused targets', () => {
  test.each([
    ['http', 'http://example.com/', 'Only https'],
    ['another scheme', 'file:///etc/passwd', 'Only https'],
    ['data', 'data:text/plain,a', 'Only https'],
    ['no URL', 'example.com', 'not a URL'],
    ['an empty text', '', 'not a URL'],
    ['a user name', 'https://ann@example.com/', 'user name or password'],
    ['a password', 'https://:secret@example.com/', 'user name or password'],
    ['a line break', 'https://exam\nple.com/', 'control character'],
    ['a tab', 'https://example.com/\t', 'control character'],
    ['a backslash', 'https://example.com\\@evil.example/', 'backslash'],
    ['a space', ' https://example.com/', 'space'],
    ['a public IPv4 address', 'https://8.8.8.8/', 'IP address'],
    ['a public IPv6 address', 'https://[2606:4700::1111]/', 'IP address'],
    ['a zone', 'https://[fe80::1%25eth0]/', 'not a URL'],
    ['a trailing dot', 'https://example.com./', 'ends with a dot'],
    ['a trailing dot after an address', 'https://127.0.0.1./', 'IP address'],
    ['localhost', 'https://localhost/', 'full name'],
    ['LOCALHOST', 'https://LOCALHOST/', 'full name'],
    ['a port that was not allowed', 'https://example.com:22/', 'port 22 is not allowed'],
    ['the port of a database', 'https://example.com:5432/', 'port 5432 is not allowed'],
    ['a home network', 'https://router.lan/', 'private networks'],
    ['a home network by its old name', 'https://nas.home/', 'private networks'],
    ['a company network', 'https://wiki.corp/', 'private networks'],
    ['an onion service', 'https://expyuzz4wqqyqhjn.onion/', 'private networks'],
    ['a cluster', 'https://kubernetes.default.svc.cluster.local/', 'private networks'],
    ['a reverse name', 'https://1.0.0.127.in-addr.arpa/', 'private networks'],
    ['localhost with a dot', 'https://localhost./', 'ends with a dot'],
    ['a name below localhost', 'https://app.localhost/', 'private networks'],
    ['localhost.localdomain', 'https://localhost.localdomain/', 'private networks'],
    ['a single label', 'https://intranet/', 'full name'],
    ['the metadata of a cloud', 'https://metadata.google.internal/', 'private networks'],
    ['mDNS', 'https://printer.local/', 'private networks'],
    ['a home', 'https://router.home.arpa/', 'private networks'],
    ['an empty label', 'https://example..com/', 'full name'],
    ['a label of 64', `https://${'a'.repeat(64)}.com/`, 'full name'],
    ['a name of more than 253', `https://${'a.'.repeat(126)}com/`, 'full name'],
    ['a hyphen in front', 'https://-a.example.com/', 'full name'],
    ['a strange character', "https://a'b.example.com/", 'full name'],
  ])('%s', (_name, address, message) => {
    expect(() => checkTarget('GET', address)).toThrow(EgressRefused);
    expect(() => checkTarget('GET', address)).toThrow(message);
  });

  test.each(['', 'get', 'CONNECT', 'TRACE', 'TRACK', 'GET /', 'GET\r\n', 'G\0T', '-', 'ГЕТ'])(
    'the method %j',
    (method) => {
      expect(() => checkTarget(method, 'https://example.com/')).toThrow(/method is not allowed/);
    },
  );

  test('every notation of every IPv4 address, public or not', () => {
    fc.assert(
      fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), spelling, (octets, spell) => {
        expect(() => checkTarget('GET', `https://${spell(octets)}/`)).toThrow(EgressRefused);
      }),
      { numRuns: 3_000 },
    );
  });

  test('every IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(() => checkTarget('GET', `https://[${address}]:8443/`)).toThrow(EgressRefused);
      }),
    );
  });
});

test('a refusal does not contain the path, which may hold a secret', () => {
  expect(() => checkTarget('GET', 'https://intranet/hidden?key=hidden')).toThrow(/^(?!.*hidden)/);
});

type Octets = [number, number, number, number];
type Spell = (octets: Octets) => string;

const digits = fc.constantFrom<(number: number) => string>(
  (number) => String(number),
  (number) => `0x${number.toString(16)}`,
  (number) => `0X${number.toString(16).toUpperCase()}`,
  (number) => `0${number.toString(8)}`,
  (number) => `0x000${number.toString(16)}`,
  (number) => String(number).replaceAll(/\d/g, (digit) => `%3${digit}`),
  (number) => String(number).replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
);
const dot = fc.constantFrom('.', '%2e', '。', '．');

/** Four parts, or fewer with the last one taking the rest; each in a random notation; perhaps inside an IPv6 address. */
const spelling: fc.Arbitrary<Spell> = fc.oneof(
  fc.tuple(fc.array(digits, { minLength: 1, maxLength: 4 }), dot, fc.constantFrom('', '.')).map(
    ([notations, separator, end]): Spell =>
      (octets) => {
        const last = octets.slice(notations.length - 1).reduce((number, octet) => number * 256 + octet, 0);
        const parts = [...octets.slice(0, notations.length - 1), last];
        return parts.map((part, index) => notations[index]?.(part)).join(separator) + end;
      },
  ),
  fc.constantFrom('::ffff:', '::', '64:ff9b::', '64:ff9b:1::', '::ffff:0:', '0:0:0:0:0:FFFF:').map(
    (prefix): Spell =>
      (octets) =>
        `[${prefix}${octets.join('.')}]`,
  ),
  fc.constantFrom('2002:', '2001:0:').map(
    (prefix): Spell =>
      (octets) =>
        `[${prefix}${toGroups(octets)}::]`,
  ),
);

function toGroups([a, b, c, d]: Octets): string {
  return [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
}
