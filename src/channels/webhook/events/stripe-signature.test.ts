import { expect, test } from 'vitest';
import { InvalidRequest, InvalidSecret } from '#domain/errors.ts';
import { readEvent, stripeHeaders } from '../../../../test/support/foreign-event.ts';
import { verifyEvent } from './verify-event.ts';

const secret = 'whsec_test';
const now = new Date('2026-05-04T10:20:01Z');
const minutes = (count: number, seconds = 0) => new Date(now.getTime() + (count * 60 + seconds) * 1000);

const verify = (header: string | string[] | undefined, body: Buffer, at = now) =>
  verifyEvent({ kind: 'stripe', secret }, { headers: { 'stripe-signature': header }, body, now: at });

/** Made with `openssl dgst -sha256 -hmac`. */
const small = Buffer.from('{"id":"evt_1"}');
const smallAt = new Date(1614265330_000);
const hex = '347e9afe3d74ec4c5cbefd270edc9246513ae3da7b375223e302560fbd4146eb';

test.each([
  ['alone', `t=1614265330,v1=${hex}`],
  ['with blanks', `t=1614265330, v1=${hex}`],
  ['in upper case', `t=1614265330,v1=${hex.toUpperCase()}`],
  ['after one of another secret', `t=1614265330,v1=${'0'.repeat(64)},v1=${hex}`],
  ['beside other kinds', `v0=abc,v1=${hex},v2=def,t=1614265330`],
])('a signature %s is let in', (_how, header) => {
  expect(verify(header, small, smallAt)).toEqual({ deliveryId: 'evt_1', isTimed: true });
  expect(verify([header], small, smallAt)).toEqual({ deliveryId: 'evt_1', isTimed: true });
});

test.each<[string, string | string[] | undefined]>([
  ['missing', undefined],
  ['empty', ''],
  ['only a time', 't=1614265330'],
  ['without a time', `v1=${hex}`],
  ['with two times', `t=1614265330,t=1614265330,v1=${hex}`],
  ['with another time', `t=1614265331,v1=${hex}`],
  ['with a time that is not a number', `t=soon,v1=${hex}`],
  ['with an odd number for a time', `t=+1614265330,v1=${hex}`],
  ['with a time in milliseconds', `t=1614265330000,v1=${hex}`],
  ['with a time beyond all numbers', `t=${'9'.repeat(400)},v1=${hex}`],
  ['for test clients only', `t=1614265330,v0=${hex}`],
  ['cut short', `t=1614265330,v1=${hex.slice(0, -1)}`],
  ['empty inside', 't=1614265330,v1='],
  ['sent twice', [`t=1614265330,v1=${hex}`, `t=1614265330,v1=${hex}`]],
  ['noise', ',,,==,'],
])('a signature that is %s is refused', (_how, header) => {
  expect(() => verify(header, small, smallAt)).toThrow(InvalidSecret);
});

test.each([
  ['invoice-paid', 'evt_1RKq7aLkdIwHu7ixq3Vn0pXc'],
  ['payment-intent-succeeded', 'evt_3RKq9cLkdIwHu7ix1mW8sYtD'],
])('%s is known by the id of the event, also when Stripe tries again later', async (name, id) => {
  const body = await readEvent(`stripe-${name}`);
  const header = (at: Date) => stripeHeaders([secret], body, at)['stripe-signature'];

  expect(verify(header(now), body)).toEqual({ deliveryId: id, isTimed: true });
  expect(verify(header(minutes(60)), body, minutes(60))).toEqual({ deliveryId: id, isTimed: true });
  expect(() => verify(header(now), Buffer.concat([body, Buffer.from(' ')]))).toThrow(InvalidSecret);
});

test('while a secret is replaced, either will do', async () => {
  const body = await readEvent('stripe-invoice-paid');

  for (const secrets of [
    ['whsec_old', secret],
    [secret, 'whsec_new'],
  ])
    expect(() => verify(stripeHeaders(secrets, body, now)['stripe-signature'], body)).not.toThrow();
  expect(() => verify(stripeHeaders(['whsec_old'], body, now)['stripe-signature'], body)).toThrow(InvalidSecret);
});

test('five minutes either way are forgiven, and no more', async () => {
  const body = await readEvent('stripe-invoice-paid');
  const at = (sentAt: Date) => () => verify(stripeHeaders([secret], body, sentAt)['stripe-signature'], body);

  expect(at(minutes(-5))).not.toThrow();
  expect(at(minutes(5))).not.toThrow();
  expect(at(minutes(-5, -1))).toThrow('more than 5 minutes off');
  expect(at(minutes(5, 1))).toThrow('more than 5 minutes off');
});

test.each(['', 'not json', '[]', 'null', '"evt_1"', '{}', '{"id":7}', '{"id":""}', `{"id":"${'x'.repeat(300)}"}`])(
  'a body %j is not an event, even with a valid signature',
  (text) => {
    const body = Buffer.from(text);

    expect(() => verify(stripeHeaders([secret], body, now)['stripe-signature'], body)).toThrow(InvalidRequest);
  },
);
