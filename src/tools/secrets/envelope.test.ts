import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSecret, SecretUnreadable, sealSecret } from './envelope.ts';
import { createKeyRing } from './key-ring.ts';

const keys = createKeyRing(Buffer.alloc(32, 1));
const ann = { userId: 'ann', name: 'weather_key' };
const seal = (value = 'hunter2') => sealSecret(keys.current, ann, value);

test('a sealed text is opened again, letter by letter', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (value, userId, name) => {
      expect(openSecret(keys, { userId, name }, sealSecret(keys.current, { userId, name }, value))).toBe(value);
    }),
  );
});

test('the same value never looks the same twice, and is not to be seen', () => {
  const [one, other] = [seal(), seal()];

  expect(one.equals(other)).toBe(false);
  expect(one.subarray(9, 21).equals(other.subarray(9, 21))).toBe(false);
  expect(one.includes('hunter2')).toBe(false);
});

test('any bit that is changed is noticed', () => {
  const sealed = seal();
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => openSecret(keys, ann, changed)).toThrow(SecretUnreadable);
  }
});

test('a truncated or forged value of any length is unreadable', () => {
  const sealed = seal();
  for (let length = 0; length < sealed.length; length++) {
    expect(() => openSecret(keys, ann, sealed.subarray(0, length))).toThrow(SecretUnreadable);
    expect(() => openSecret(keys, ann, randomBytes(length))).toThrow(SecretUnreadable);
  }
});

test.each([
  { userId: 'bob', name: 'weather_key' },
  { userId: 'ann', name: 'other_key' },
  { userId: 'ann"', name: 'weather_key' },
  { userId: 'ann","weather_key', name: '' },
  { userId: '*', name: 'weather_key' },
])('a row that was moved to %j is unreadable', (place) => {
  expect(() => openSecret(keys, place, seal())).toThrow('moved from another place');
});

test('a missing key is named by its id, and the message says what to do', () => {
  const other = createKeyRing(Buffer.alloc(32, 2));

  expect(() => openSecret(other, ann, seal())).toThrow(
    expect.objectContaining({
      name: 'SecretUnreadable',
      message: expect.stringMatching(new RegExp(`"weather_key" .* key ${keys.current.id}, .*Set SECRETS_KEY`)),
    }),
  );
});

test('an older key still reads', () => {
  const newer = createKeyRing(Buffer.alloc(32, 2), undefined, Buffer.alloc(32, 1));

  expect(openSecret(newer, ann, seal())).toBe('hunter2');
  expect(newer.ids).toEqual([newer.current.id, keys.current.id]);
});

test('the id of a key comes from the key alone, and the key is in no print of it', () => {
  const bytes = Buffer.from('a key of exactly 32 bytes, see it');
  const ring = createKeyRing(bytes.subarray(0, 32));

  expect(createKeyRing(Buffer.from(bytes.subarray(0, 32))).current.id).toBe(ring.current.id);
  expect(ring.current.id).toMatch(/^[0-9a-f]{16}$/);
  expect(JSON.stringify(ring) + inspect(ring, { depth: 9 })).not.toMatch(/bytes|61 20 6b|97,32,107/);
});

test('a key of another length is refused', () => {
  expect(() => createKeyRing(Buffer.alloc(16))).toThrow('32 bytes');
});
