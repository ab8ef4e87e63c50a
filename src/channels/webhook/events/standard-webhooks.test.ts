import { expect, test } from 'vitest';
import { InvalidRequest, InvalidSecret } from '#domain/errors.ts';
import { readEvent, standardHeaders } from '../../../../test/support/foreign-event.ts';
import { verifyEvent } from './verify-event.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** The published example of the libraries. */
const body = Buffer.from('{"test": 2432232314}');
const now = new Date(1614265330_000);
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': signature,
};

const verify = (change: Record<string, string | string[] | undefined> = {}, at = now) =>
  verifyEvent({ kind: 'standard-webhooks', secret }, { headers: { ...headers, ...change }, body, now: at });

test('the published example is let in, and known by its id', () => {
  expect(verify()).toEqual({ deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek', isTimed: true });
});

test.each<[string, string | string[]]>([
  ['beside one of another secret', `v1,AAAAE4ixiTkQ7cSVnbp0iSYHa7k6z6EPRzNLz5cD6zs= ${signature}`],
  ['beside one of another kind', `v1a,c2lnbmF0dXJl ${signature} v2,x`],
  ['in an array', [signature]],
])('a signature may stand %s', (_how, value) => {
  expect(() => verify({ 'webhook-signature': value })).not.toThrow();
});

test.each<[string, Record<string, string | string[] | undefined>]>([
  ['no id', { 'webhook-id': undefined }],
  ['another id', { 'webhook-id': 'msg_other' }],
  ['two ids', { 'webhook-id': ['msg_p5jXN8AQM9LWM0D4loKWxJek', 'msg_other'] }],
  ['no time', { 'webhook-timestamp': undefined }],
  ['another time', { 'webhook-timestamp': '1614265331' }],
  ['the same time, written differently', { 'webhook-timestamp': '01614265330' }],
  ['a time that is not a number', { 'webhook-timestamp': 'now' }],
  ['a negative time', { 'webhook-timestamp': '-1614265330' }],
  ['no signature', { 'webhook-signature': undefined }],
  ['an empty signature', { 'webhook-signature': '' }],
  ['a signature of another kind', { 'webhook-signature': signature.replace('v1,', 'v2,') }],
  ['a signature without its kind', { 'webhook-signature': signature.slice(3) }],
  ['a signature cut short', { 'webhook-signature': signature.slice(0, -3) }],
  ['a signature in the other case', { 'webhook-signature': signature.toLowerCase() }],
])('%s is refused', (_what, change) => {
  expect(() => verify(change)).toThrow(InvalidSecret);
});

test('five minutes either way are forgiven, and no more', () => {
  const at = (seconds: number) => () => verify({}, new Date(now.getTime() + seconds * 1000));

  expect(at(300)).not.toThrow();
  expect(at(-300)).not.toThrow();
  expect(at(301)).toThrow('more than 5 minutes off');
  expect(at(-301)).toThrow('more than 5 minutes off');
});

test('an event that is tried again has a new time and the same id', async () => {
  const event = await readEvent('standard-webhooks-contact-created');
  const idAt = (at: Date) =>
    verifyEvent(
      { kind: 'standard-webhooks', secret },
      { headers: standardHeaders(secret, event, 'msg_1', at), body: event, now: at },
    ).deliveryId;

  expect(idAt(now)).toBe('msg_1');
  expect(idAt(new Date(now.getTime() + 3_600_000))).toBe('msg_1');
});

test('an id without end is the mistake of the sender', () => {
  const id = 'x'.repeat(257);
  const delivery = { headers: standardHeaders(secret, body, id, now), body, now };

  expect(() => verifyEvent({ kind: 'standard-webhooks', secret }, delivery)).toThrow(InvalidRequest);
});

test.each(['', 'whsec_', 'whsec_?'])('the secret %j verifies nothing', (broken) => {
  const delivery = { headers: standardHeaders(broken, body, 'msg_1', now), body, now };

  expect(() => verifyEvent({ kind: 'standard-webhooks', secret: broken }, delivery)).toThrow(InvalidSecret);
});
