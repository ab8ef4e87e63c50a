import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The raw body of an event in the documented shape of its sender. */
export function readEvent(name: string): Promise<Buffer> {
  return readFile(path.resolve('test/fixtures/events', `${name}.json`));
}

/** The headers that GitHub sends along. */
export function githubHeaders(secret: string, body: Buffer, event: string, delivery: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/0a1b2c3',
    'x-github-delivery': delivery,
    'x-github-event': event,
    'x-github-hook-id': '478812345',
    'x-hub-signature': `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  };
}

/** The headers that Stripe sends along; it signs with every secret that is valid. */
export function stripeHeaders(secrets: readonly string[], body: Buffer, sentAt: Date): Record<string, string> {
  const time = Math.floor(sentAt.getTime() / 1000);
  const sign = (secret: string) => createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
  const signatures = secrets.map((secret) => `v1=${sign(secret)}`);
  return {
    'content-type': 'application/json; charset=utf-8',
    'stripe-signature': [`t=${time}`, ...signatures, `v0=${sign('for test clients')}`].join(','),
  };
}

/** The headers of Standard Webhooks; `secret` is written `whsec_…`. */
export function standardHeaders(secret: string, body: Buffer, id: string, sentAt: Date): Record<string, string> {
  const time = Math.floor(sentAt.getTime() / 1000);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body.toString()}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${signature}`,
  };
}
