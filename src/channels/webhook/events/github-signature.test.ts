import { describe, expect, test } from 'vitest';
import { InvalidSecret } from '#domain/errors.ts';
import { githubHeaders, readEvent } from '../../../../test/support/foreign-event.ts';
import { verifyEvent } from './verify-event.ts';

const verifier = { kind: 'github', secret: "It's a Secret to Everybody" } as const;
const now = new Date('2026-05-04T10:20:01Z');

const verify = (headers: Record<string, string | string[]>, body: Buffer) =>
  verifyEvent(verifier, { headers, body, now });

/** GitHub's own example. */
const hello = Buffer.from('Hello, World!');
const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

test("GitHub's documented example is let in", () => {
  expect(verify({ 'x-hub-signature-256': signature }, hello).deliveryId).toMatch(/^sha256:[0-9a-f]{64}$/);
});

test.each([
  ['in an array', [signature]],
  ['in upper case', signature.toUpperCase().replace('SHA', 'sha')],
])('the signature may stand %s', (_how, header) => {
  expect(() => verify({ 'x-hub-signature-256': header }, hello)).not.toThrow();
});

test.each<[string, string | string[]]>([
  ['empty', ''],
  ['of another body', signature.replace('757107', '757108')],
  ['cut short', signature.slice(0, -2)],
  ['too long', `${signature}00`],
  ['without its kind', signature.slice('sha256='.length)],
  ['of an older kind', signature.replace('sha256', 'sha1')],
  ['sent twice', [signature, signature]],
  ['joined from two', `${signature}, ${signature}`],
  ['base64', `sha256=${Buffer.from(signature.slice(7), 'hex').toString('base64')}`],
  ['not text of this world', '\0\ud800'],
])('a signature that is %s is refused', (_how, header) => {
  expect(() => verify({ 'x-hub-signature-256': header }, hello)).toThrow(InvalidSecret);
});

test('without a signature every delivery is refused', () => {
  const headers = githubHeaders(verifier.secret, hello, 'push', 'a');
  delete headers['x-hub-signature-256'];

  expect(() => verify(headers, hello)).toThrow('Send the header X-Hub-Signature-256');
});

test('the refusal of a wrong signature reveals nothing else', () => {
  const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };

  expect(() => verify(wrong, hello)).toThrow(/^X-Hub-Signature-256 does not fit the body/);
  expect(() => verify(wrong, hello)).not.toThrow(/757107|Everybody/);
});

test('an empty secret verifies nothing, not even its own signature', () => {
  const headers = githubHeaders('', hello, 'push', 'a');

  expect(() => verifyEvent({ kind: 'github', secret: '' }, { headers, body: hello, now })).toThrow(InvalidSecret);
});

describe.each(['issues-opened', 'push', 'pull-request-opened', 'ping'])('the event %s', (name) => {
  const event = name.split('-')[0] ?? name;

  test('is let in with its signature, and not when a byte differs', async () => {
    const body = await readEvent(`github-${name}`);
    const headers = githubHeaders(verifier.secret, body, event, 'a');

    expect(() => verify(headers, body)).not.toThrow();
    expect(() => verify(headers, Buffer.from(JSON.stringify(JSON.parse(body.toString()))))).toThrow(InvalidSecret);
    expect(() => verify(githubHeaders('another secret', body, event, 'a'), body)).toThrow(InvalidSecret);
  });

  test('has one id, also when it is sent again under another delivery id', async () => {
    const body = await readEvent(`github-${name}`);
    const idOf = (delivery: string) => verify(githubHeaders(verifier.secret, body, event, delivery), body).deliveryId;

    expect(idOf('72d3162e-cc78-11e3-81ab-4c9367dc0958')).toBe(idOf('made-up'));
  });
});

test('different events have different ids', async () => {
  const bodies = await Promise.all(['issues-opened', 'push', 'ping'].map((name) => readEvent(`github-${name}`)));
  const ids = bodies.map((body) => verify(githubHeaders(verifier.secret, body, 'any', 'same'), body).deliveryId);

  expect(new Set(ids).size).toBe(3);
});
