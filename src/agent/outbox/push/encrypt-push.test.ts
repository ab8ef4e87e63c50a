import { createECDH } from 'node:crypto';
import { expect, test } from 'vitest';
import { encryptPush, isPushKey, MAX_PUSH_BYTES } from './encrypt-push.ts';

const bytes = (text: string) => Buffer.from(text, 'base64url');

/** RFC 8291, section 5 and appendix A. */
const EXAMPLE = {
  publicKey: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
  auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  sender: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('the example of RFC 8291 is encrypted byte by byte', () => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey(EXAMPLE.sender);
  const body = encryptPush('When I grow up, I want to be a watermelon', EXAMPLE, { salt: EXAMPLE.salt, sender });

  expect(body.toString('base64url')).toBe(EXAMPLE.body);
});

test('two messages never have the same salt or key, and the longest one fits into 4,096 bytes', () => {
  const [one, other] = [encryptPush('a', EXAMPLE), encryptPush('a', EXAMPLE)];

  expect(one.subarray(0, 86)).not.toEqual(other.subarray(0, 86));
  expect(encryptPush('x'.repeat(MAX_PUSH_BYTES), EXAMPLE)).toHaveLength(4096);
  expect(() => encryptPush('x'.repeat(MAX_PUSH_BYTES + 1), EXAMPLE)).toThrow('3993');
});

test('a key that is not a point on the curve is recognised', () => {
  expect(isPushKey(EXAMPLE.publicKey)).toBe(true);
  expect(isPushKey(EXAMPLE.publicKey.subarray(1))).toBe(false);
  expect(isPushKey(Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]))).toBe(false);
  expect(isPushKey(Buffer.alloc(65))).toBe(false);
});
