import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeyRing } from './key-ring.ts';
import { createSealedTexts } from './sealed-text.ts';

const [key, other] = [randomBytes(32), randomBytes(32)];
const texts = createSealedTexts(createKeyRing(key), 'summary');
const ann = { userId: 'ann' };

test('a sealed text opens for its user only, and only unchanged', () => {
  const sealed = texts.seal(ann, 'the harbour master is Ingrid\n');

  expect(sealed).not.toContain('Ingrid');
  expect(texts.open(ann, sealed)).toBe('the harbour master is Ingrid\n');
  expect(texts.open({ userId: 'bob' }, sealed)).toBeUndefined();
  for (const changed of [`${sealed}A`, sealed.slice(0, -1), `${sealed}=`, `${sealed} `, sealed.replace(/.$/, '!'), ''])
    expect(texts.open(ann, changed)).toBeUndefined();
});

test('another purpose and another key can not open it, a previous key can', () => {
  const sealed = texts.seal(ann, 'x');

  expect(createSealedTexts(createKeyRing(key), 'other').open(ann, sealed)).toBeUndefined();
  expect(createSealedTexts(createKeyRing(other), 'summary').open(ann, sealed)).toBeUndefined();
  expect(createSealedTexts(createKeyRing(other, key), 'summary').open(ann, sealed)).toBe('x');
});
