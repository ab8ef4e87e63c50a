import { expect, test } from 'vitest';
import { deriveSigningText, findSigningKey, signStandardWebhook, toSigningSecret } from './standard-webhooks.ts';

/** The published example of the libraries. */
const example = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1614265330,
  body: '{"test": 2432232314}',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};

test('a signature is the one of the published example', () => {
  expect(signStandardWebhook(example)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  expect(signStandardWebhook({ ...example, body: Buffer.from(example.body) })).toBe(signStandardWebhook(example));
});

test('the prefix of the secret may be left out', () => {
  expect(signStandardWebhook({ ...example, secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })).toBe(
    signStandardWebhook(example),
  );
});

test.each([
  { id: 'msg_other' },
  { timestamp: 1614265331 },
  { body: '{"test": 2432232315}' },
  { secret: 'whsec_c2VjcmV0' },
])('another one comes of %j', (change) => {
  expect(signStandardWebhook({ ...example, ...change })).not.toBe(signStandardWebhook(example));
});

test.each(['', 'whsec_', 'whsec_====', 'whsec_not base64!', 'whsec_c2Vj_cmV0', 'whsec_c2Vj=cmV0', 'secret'])(
  '%j is not a secret',
  (secret) => {
    expect(findSigningKey(secret)).toBeUndefined();
    expect(() => signStandardWebhook({ ...example, secret })).toThrow('whsec_');
  },
);

test('the secret of callbacks is made from the one of callers, and is another', () => {
  const derived = deriveSigningText('grüße');
  expect(derived).toMatch(/^[\da-f]{64}$/);
  expect(findSigningKey(toSigningSecret(derived))?.toString()).toBe(derived);
  expect(derived).toBe(deriveSigningText('grüße'));
  expect(derived).not.toBe(deriveSigningText('gruesse'));
});
