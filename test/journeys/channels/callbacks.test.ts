import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { deriveSigningText, signStandardWebhook, toSigningSecret } from '#domain/webhook/standard-webhooks.ts';
import { journey } from '../../support/journey.ts';
import { type Service, WEBHOOK_SECRET, type WireJob } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

type Received = { id: string; timestamp: number; signature: string; body: string };

/** The receiver's behaviour for each coming request; it works once the list is empty. */
let behaviours: ('down' | 'slow' | number)[] = [];
const received: Received[] = [];
const receiver = createServer((request, response) => {
  const behaviour = behaviours.shift();
  if (behaviour === 'down') return request.socket.destroy();
  if (behaviour === 'slow') return undefined; // never answers
  void text(request).then((body) => {
    const header = (name: string) => String(request.headers[name]);
    if (!behaviour)
      received.push({
        id: header('webhook-id'),
        timestamp: Number(header('webhook-timestamp')),
        signature: header('webhook-signature'),
        body,
      });
    response.writeHead(behaviour ?? 204).end();
  });
});

/** The addresses of each host name. Every dial goes to the receiver on loopback. */
const addresses = new Map<string, string[]>();
const network = {
  resolve: async (host: string) => addresses.get(host)?.slice(0, 1) ?? [],
  dial: () => ({ host: '127.0.0.1', port: (receiver.address() as AddressInfo).port, tls: false }),
};

const test = journey()
  .override('settings', {
    HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
    WEBHOOK_CALLBACK_HOSTS: 'hooks.example,inside.example,changing.example',
  })
  .override('parts', { network, deliveries: { delaysSeconds: [0.05, 0.05, 0.05], timeoutMs: 5000, pollEveryMs: 50 } });

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});

afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

beforeEach(() => {
  behaviours = [];
  received.length = 0;
  addresses.clear();
  addresses.set('hooks.example', ['93.184.215.14']);
});

test('a completed job is delivered to its callback URL, signed', async ({ service }) => {
  const id = await service.webhook.submit({
    message: 'say done',
    metadata: { order: 7 },
    callback_url: 'https://hooks.example/jobs?x=1',
  });
  const job = await callbackOver(service, id);

  expect(received).toHaveLength(1);
  const [{ timestamp, signature, body, ...told }] = received as [Received];
  expect(told.id).toBe(id);
  expect(JSON.parse(body)).toMatchObject({ id, status: 'completed', response: 'done', metadata: { order: 7 } });
  const secret = toSigningSecret(deriveSigningText(WEBHOOK_SECRET));
  expect(signature).toBe(signStandardWebhook({ id, timestamp, body, secret }));
  expect(job.callback).toEqual({ url: 'https://hooks.example/jobs?x=1', status: 'delivered', attempts: 1 });
});

test('a receiver that is down, slow and broken before it works gets the callback once', async ({ service }) => {
  behaviours = ['down', 'slow', 500];
  const id = await service.webhook.submit({ message: 'say done', callback_url: 'https://hooks.example/' });
  const job = await callbackOver(service, id);

  expect(job.callback).toMatchObject({ status: 'delivered', attempts: 4 });
  expect(new Set(received.map((delivery) => delivery.id))).toEqual(new Set([id]));
  expect(received).toHaveLength(1);
});

test('a failed job is delivered as well', async ({ service }) => {
  const id = await service.webhook.submit({ message: 'break 400', callback_url: 'https://hooks.example/' });
  await callbackOver(service, id);

  const sent = JSON.parse(received[0]?.body ?? '') as { readonly error: object };
  expect(sent).toMatchObject({ id, status: 'completed', error: { code: 'model_error' } });
  expect(Object.keys(sent.error)).toEqual(['code', 'message']);
});

test('a callback that never arrives is given up and stays visible', async ({ service }) => {
  behaviours = [500, 503, 302, 500];
  const id = await service.webhook.submit({ message: 'say done', callback_url: 'https://hooks.example/' });
  const job = await callbackOver(service, id);

  expect(job.callback).toMatchObject({ status: 'dead', attempts: 4, last_error: 'The receiver answered 500.' });
  const { jobs } = (await (await service.request('/api/jobs')).json()) as { jobs: WireJob[] };
  expect(jobs.find((each) => each.id === id)?.callback).toMatchObject({ status: 'dead' });
});

test('a receiver that answers 410 is not called again', async ({ service }) => {
  behaviours = [410];
  const id = await service.webhook.submit({ message: 'say done', callback_url: 'https://hooks.example/' });

  expect((await callbackOver(service, id)).callback).toMatchObject({ status: 'dead', attempts: 1 });
});

test.for(['10.0.0.1', '127.0.0.1', '169.254.169.254', '::ffff:192.168.0.1', '64:ff9b::a00:1'])(
  'an allowed host name that resolves to %s is not called',
  async (address, { service }) => {
    addresses.set('inside.example', [address]);
    const id = await service.webhook.submit({ message: 'say done', callback_url: 'https://inside.example/' });
    const job = await callbackOver(service, id);

    expect(job.callback).toMatchObject({ status: 'dead', attempts: 4 });
    expect(job.callback?.last_error).not.toContain(address);
    expect(received).toEqual([]);
  },
);

test('a host name that changes its address between check and dial is dialled at the checked address', async ({
  service,
}) => {
  const asked: string[] = [];
  addresses.set('changing.example', ['93.184.215.14']);
  const resolve = network.resolve;
  network.resolve = async (host) => {
    const found = await resolve(host);
    asked.push(...found);
    addresses.set('changing.example', ['127.0.0.1']); // a second lookup would lead to a private address
    return found;
  };
  const id = await service.webhook.submit({ message: 'say done', callback_url: 'https://changing.example/' });
  const job = await callbackOver(service, id);
  network.resolve = resolve;

  expect(job.callback).toMatchObject({ status: 'delivered', attempts: 1 });
  expect(asked).toEqual(['93.184.215.14']);
});

test.for(['https://other.example/', 'https://hooks.example.other/', 'https://sub.hooks.example/', 'https://10.0.0.1/'])(
  'a callback URL on a host that is not allowed is refused at once: %s',
  async (callback_url, { service }) => {
    const refused = await service.webhook.post({ message: 'say x', callback_url });

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'callback_url' } });
  },
);

/** The job after its callback was delivered or given up. */
const callbackOver = (service: Service, id: string): Promise<WireJob> =>
  waitFor('the callback to be over', async () => {
    const job = await service.webhook.job(id);
    return job.callback && job.callback.status !== 'pending' ? job : undefined;
  });
