import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSecretSearch } from './secret-search.ts';

const SECRET = 'k3y/+"<é&\' =?~😀\\%x';
const search = createSecretSearch(new Map([['weather_key', SECRET]]));
const redact = (text: string) => Buffer.from(search.redact(Buffer.from(text)).bytes).toString();
const hex = (text: string) => Buffer.from(text).toString('hex');
const base64 = (text: string) => Buffer.from(text).toString('base64');

const ENCODINGS: Record<string, (text: string) => string> = {
  raw: (text) => text,
  base64,
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 in JSON of PHP': (text) => base64(text).replaceAll('/', '\\/'),
  'base64 in a URL': (text) => encodeURIComponent(base64(text)),
  hex,
  'upper-case hex': (text) => hex(text).toUpperCase(),
  URL: encodeURIComponent,
  'URL in lower case': (text) => encodeURIComponent(text).replace(/%../g, (escape) => escape.toLowerCase()),
  'whole URL': encodeURI,
  form: (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'percent for every byte': (text) => hex(text).toUpperCase().replace(/../g, '%$&'),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON of PHP': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', '\\/')
      .replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON of Go': (text) => JSON.stringify(text).slice(1, -1).replace('<', '\\u003c').replace('&', '\\u0026'),
  'JSON of Python': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  HTML: (text) => text.replace('&', '&amp;').replace('<', '&lt;').replace('"', '&quot;').replace("'", '&#39;'),
};

test.each(Object.keys(ENCODINGS))('a secret is found and redacted in its %s form', (name) => {
  const encoded = ENCODINGS[name]?.(SECRET) ?? '';

  expect(search.findIn('nothing', `before ${encoded} after`)).toBe('weather_key');
  expect(redact(`{${encoded} and \n${encoded}}`)).toMatch(
    /^\{\[redacted:weather_key\](=|%3D)* and \n\[redacted:weather_key\](=|%3D)*\}$/,
  );
  expect(search.redact(Buffer.from(`${encoded} ${encoded}`)).found).toEqual(['weather_key', 'weather_key']);
});

test('a secret inside a longer base64 text is found at every offset, and no bit of it stays', () => {
  const plain = createSecretSearch(new Map([['key', 'abcdefgh']]));
  for (const lead of ['', '1', '12', '123', 'user:'])
    for (const tail of ['', '4', '45', '456']) {
      const redacted = Buffer.from(plain.redact(Buffer.from(base64(`${lead}abcdefgh${tail}`))).bytes).toString();
      const [head = '', rest = ''] = redacted.split('[redacted:key]');
      expect(redacted).toContain('[redacted:key]');
      expect(lead.startsWith(Buffer.from(head, 'base64').toString())).toBe(true);
      expect(rest.length).toBeLessThanOrEqual(Math.ceil((tail.length * 8) / 6) + 2);
    }
});

test('all other bytes are unchanged', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (before, after) => {
      const { bytes, found } = search.redact(Buffer.concat([before, Buffer.from(SECRET), after]));
      expect(Buffer.from(bytes)).toEqual(Buffer.concat([before, Buffer.from('[redacted:weather_key]'), after]));
      expect(found).toEqual(['weather_key']);
      expect(search.redact(before)).toEqual({ bytes: before, found: [] });
    }),
  );
});

test('only the given part of a larger buffer is searched', () => {
  const buffer = Buffer.from(`${SECRET}|inside|${SECRET}`);
  const begin = Buffer.byteLength(SECRET) + 1;
  const inside = new Uint8Array(buffer.buffer, buffer.byteOffset + begin, 6);
  expect(search.redact(inside)).toEqual({ bytes: inside, found: [] });
  expect(search.findIn(inside)).toBeUndefined();
});

test('overlapping and nested secrets are redacted completely', () => {
  const both = createSecretSearch(
    new Map([
      ['one', 'abcdefgh'],
      ['two', 'efghijkl'],
      ['inner', 'bcdefg'],
    ]),
  );
  const redacted = (text: string) => Buffer.from(both.redact(Buffer.from(text)).bytes).toString();

  expect(redacted('<abcdefghijkl>')).toBe('<[redacted:one]>');
  expect(redacted('<abcdefgh|efghijkl>')).toBe('<[redacted:one]|[redacted:two]>');
  expect(redacted('<bcdefg>')).toBe('<[redacted:inner]>');
});

test('a secret stored with a trailing line break is found', () => {
  const stored = createSecretSearch(new Map([['key', 'abcdefgh\n']]));
  expect(stored.findIn('Bearer abcdefgh')).toBe('key');
});

test('a very short secret is not searched for in answers, but is removed from messages', () => {
  const short = createSecretSearch(new Map([['pin', '1234']]));
  expect(short.redact(Buffer.from('it is 1234 m high')).found).toEqual([]);
  expect(short.findIn('1234')).toBeUndefined();
  expect(short.scrub('GET https://x.example/?pin=1234 failed')).toBe(
    'GET https://x.example/?pin=[redacted:pin] failed',
  );
});

test('an answer full of secrets is dropped completely', () => {
  const full = Buffer.from(`${SECRET}|`.repeat(100_000));
  expect(Buffer.from(search.redact(full).bytes).toString()).toBe('[redacted:weather_key]');
  const looped = createSecretSearch(new Map([['key', 'aaaaaaaa']]));
  expect(Buffer.from(looped.redact(Buffer.alloc(5_000_000, 'a')).bytes).toString()).toBe('[redacted:key]');
});

test('a long secret is redacted completely', () => {
  const key = `-----BEGIN KEY-----\n${Array.from({ length: 80 }, (_, at) => `${String(at).repeat(40).slice(0, 60)}/"`).join('\n')}`;
  const long = createSecretSearch(new Map([['pem', key]]));
  const redacted = (text: string) => Buffer.from(long.redact(Buffer.from(text)).bytes).toString();

  expect(key.length).toBeGreaterThan(4_096);
  expect(redacted(`<${key}>`)).toBe('<[redacted:pem]>');
  expect(redacted(JSON.stringify({ key }))).toBe('{"key":"[redacted:pem]"}');
  expect(redacted(`<${hex(key)}>`)).toBe('<[redacted:pem]>');
  expect(redacted(base64(`user:${key}`))).toMatch(/^dXNlcj\[redacted:pem\]=*$/);
});

test.each(['\\', '\\"', '%25', '&amp;', '%', '&#38;'])('a search finishes when a secret repeats %s', (mark) => {
  const value = `a${mark.repeat(40)}b`;
  const rows = createSecretSearch(new Map([['key', value]]));
  const almost = (text: string) => Buffer.from(`${text.slice(0, -1)}|`.repeat(2_000));

  for (const quote of [ENCODINGS['raw'], ENCODINGS['JSON'], ENCODINGS['URL']]) {
    const text = quote?.(value) ?? '';
    expect(rows.findIn(text)).toBe('key');
    expect(rows.redact(almost(text)).found).toEqual([]);
  }
});

test.each(["'", '😀', '&', 'é'])('a secret of a thousand %s can be searched for', (character) => {
  const odd = createSecretSearch(new Map([['key', character.repeat(1_500)]]));
  expect(odd.findIn(JSON.stringify(character.repeat(1_500)))).toBe('key');
});

test('a secret is found in several layers of quoting, each of another kind', () => {
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const html = (text: string) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  for (const [one, other] of [
    [json, json],
    [json, encodeURIComponent],
    [encodeURIComponent, encodeURIComponent],
    [html, json],
    [json, html],
    [encodeURIComponent, html],
  ] as const) {
    expect(redact(`<${other(one(SECRET))}>`)).toBe('<[redacted:weather_key]>');
  }
});

/** CPU time in milliseconds, which other processes do not affect. */
function costOf(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

test.each(['a', '%', '\\', '&', '&amp;', '%25', '\\x5c', '+', ' x', 'é'])(
  'the search time does not grow with the length of a secret that repeats %j',
  (unit) => {
    const text = Buffer.from(unit.repeat(40_000 / unit.length));
    const [short, long] = [20, 1_000].map((length) =>
      createSecretSearch(new Map([['key', `${unit.repeat(length / unit.length)}z`]])),
    );
    const cost = (one: typeof short) => Math.min(...[1, 2, 3].map(() => costOf(() => one?.redact(text))));
    cost(long);
    expect(cost(long)).toBeLessThan(8 * cost(short) + 20);
  },
);
