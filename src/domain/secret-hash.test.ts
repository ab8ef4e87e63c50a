import { expect, test } from 'vitest';
import { equalsSecret, hashSecret } from './secret-hash.ts';

test('a secret equals itself', () => {
  expect(equalsSecret('grüße', hashSecret('grüße'))).toBe(true);
});

test.each(['', 'secre', 'secrets', 'Secret', ' secret', 'secret\0', 'x'.repeat(100_000)])(
  '%j is not secret',
  (given) => {
    expect(equalsSecret(given, hashSecret('secret'))).toBe(false);
  },
);
