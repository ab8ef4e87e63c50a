import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { joinCell } from './cell/cell.ts';
import { hexFromUuid, newId, uuidFromHex } from './ids.ts';

const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test('an id is a UUIDv7: its time first, then its version and its variant', () => {
  expect(newId(0x0123456789ab)).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('ids made later sort later', () => {
  fc.assert(
    fc.property(times, times, (a, b) => {
      fc.pre(a < b);
      expect(newId(a) < newId(b)).toBe(true);
    }),
  );
});

test('ids made in the same millisecond differ', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newId(1)))).toHaveProperty('size', 1000);
});

afterEach(() => joinCell(undefined));

test.each([
  [1, '001'],
  [4095, 'fff'],
])('in cell %i an id ends with %s, and is still unique', (cell, digits) => {
  joinCell(cell);
  const ids = Array.from({ length: 1000 }, () => newId(1));

  expect(new Set(ids)).toHaveProperty('size', 1000);
  for (const id of ids)
    expect(id).toMatch(new RegExp(`^00000000-0001-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{9}${digits}$`));
});

test('an id survives its way through 32 hex digits', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      expect(hexFromUuid(uuid)).toMatch(/^[0-9a-f]{32}$/);
      expect(uuidFromHex(hexFromUuid(uuid))).toBe(uuid);
    }),
  );
});
