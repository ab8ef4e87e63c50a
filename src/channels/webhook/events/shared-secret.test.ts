import { expect, test } from 'vitest';
import { InvalidRequest, InvalidSecret } from '#domain/errors.ts';
import { verifyEvent } from './verify-event.ts';

const verifier = { kind: 'shared-secret', secret: 'correct horse' } as const;
const body = Buffer.from('{"job":"nightly"}');
const now = new Date('2026-05-04T10:20:01Z');

const verify = (headers: Record<string, string | string[]>, text = body, at = now) =>
  verifyEvent(verifier, { headers: { 'x-webhook-secret': verifier.secret, ...headers }, body: text, now: at })
    .deliveryId;

test('a delivery with the secret is accepted', () => {
  expect(() => verify({})).not.toThrow();
});

test.each<[string, string | string[]]>([
  ['empty', ''],
  ['wrong', 'correct horsf'],
  ['a part', 'correct'],
  ['more than it', 'correct horse battery'],
  ['in the other case', 'CORRECT HORSE'],
  ['sent twice', ['correct horse', 'correct horse']],
])('a secret that is %s is refused', (_how, secret) => {
  expect(() => verify({ 'x-webhook-secret': secret })).toThrow(InvalidSecret);
});

test('it may stand in a header of the sender', () => {
  const gitlab = { ...verifier, header: 'X-Gitlab-Token' };
  const attempt = (header: string) => () => verifyEvent(gitlab, { headers: { [header]: verifier.secret }, body, now });

  expect(attempt('x-gitlab-token')).not.toThrow();
  expect(attempt('x-webhook-secret')).toThrow('Send the header X-Gitlab-Token');
});

test('an empty secret verifies nothing', () => {
  const attempt = (value: string) => () =>
    verifyEvent({ kind: 'shared-secret', secret: '' }, { headers: { 'x-webhook-secret': value }, body, now });

  expect(attempt('')).toThrow(InvalidSecret);
  expect(attempt('x')).toThrow(InvalidSecret);
});

test.each(['idempotency-key', 'webhook-id', 'i-twilio-idempotency-token', 'x-atlassian-webhook-identifier'])(
  'a delivery is known by its %s, whenever it comes',
  (header) => {
    const later = new Date('2026-05-05T00:00:00Z');

    expect(verify({ [header]: 'a' })).toBe(verify({ [header]: 'a' }, Buffer.from('{}'), later));
    expect(verify({ [header]: 'a' })).not.toBe(verify({ [header]: 'b' }));
  },
);

test('the same id in another header is another one', () => {
  expect(verify({ 'idempotency-key': 'a' })).not.toBe(verify({ 'webhook-id': 'a' }));
});

test('without an id, the same body within a minute is the same delivery', () => {
  expect(verify({}, body, new Date('2026-05-04T10:20:59Z'))).toBe(verify({}));
  expect(verify({}, body, new Date('2026-05-04T10:21:00Z'))).not.toBe(verify({}));
  expect(verify({}, Buffer.from('{"job":"weekly"}'))).not.toBe(verify({}));
});

test('no id can be made up that is taken for a body', () => {
  expect(verify({ 'idempotency-key': verify({}) })).not.toBe(verify({}));
});

test.each(['', 'x'.repeat(257)])('an id of a wrong length is the mistake of the sender', (id) => {
  expect(() => verify({ 'idempotency-key': id })).toThrow(InvalidRequest);
});
