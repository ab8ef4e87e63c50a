import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

test('bytes are decoded like a TextDecoder does, including invalid ones', () => {
  const anyBytes = fc.uint8Array({ maxLength: 40 });
  // Random bytes are seldom near the boundaries; these are.
  const borders = fc
    .array(
      fc.constantFrom(0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5),
    )
    .map((bytes) => Uint8Array.from(bytes));

  fc.assert(
    fc.property(fc.oneof(anyBytes, borders), (bytes) => {
      expect(decodeUtf8(bytes)).toBe(new TextDecoder().decode(bytes));
    }),
    { numRuns: 5000 },
  );
});

test('text is encoded like a TextEncoder does, including lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.integer({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }), (text) => {
      expect(encodeUtf8(text)).toEqual(new TextEncoder().encode(text));
    }),
  );
  expect(encodeUtf8('a\u00df\u6771\ud83d\ude00')).toEqual(new TextEncoder().encode('a\u00df\u6771\ud83d\ude00'));
});

test('a long text with characters of every length survives both ways', () => {
  const text = 'aß東😀'.repeat(5000);
  expect(decodeUtf8(encodeUtf8(text))).toBe(text);
});

test('a byte order mark is dropped, so that the JSON after it can be parsed', () => {
  expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).toBe('{}');
});
