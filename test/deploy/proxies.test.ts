import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { freshHome } from '../support/fresh-home.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, TOKEN, WEBHOOK_SECRET } from '../support/service.ts';
import { isInstalled, type ProxyName, startProxy } from './proxies.ts';

const MEBIBYTE = 1024 * 1024;

let home: Awaited<ReturnType<typeof freshHome>>;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  [home, model] = [await freshHome(), await startScriptedModel()];
  service = await startService({
    ...home.env,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_CONTEXT_TOKENS: '100000000',
    LLM_BASE_URL: model.url,
    HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
    TRUSTED_PROXIES: '127.0.0.1',
  });
});

afterAll(async () => {
  await service.close();
  await model.close();
  await home.remove();
});

describe.each(['nginx', 'caddy'] as const)('behind %s', (name) => {
  describe.runIf(isInstalled(name))('as in deploy/', () => {
    whatHoldsBehind(name);
  });
});

function whatHoldsBehind(name: ProxyName): void {
  let proxy: Awaited<ReturnType<typeof startProxy>>;

  beforeAll(async () => {
    proxy = await startProxy(name, { gateway: service.url, webhook: service.webhook.url });
  });
  afterAll(() => proxy.close());

  test('tokens come one by one, as the model says them', async () => {
    const started = performance.now();
    const response = await send(proxy, '/api/v1/responses', ask({ input: 'count 20 every 100', stream: true }));
    const arrivals: number[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) {
      const deltas = chunk.toString().split('event: response.output_text.delta').length - 1;
      for (let delta = 0; delta < deltas; delta++) arrivals.push(performance.now() - started);
    }

    expect(arrivals).toHaveLength(20);
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(1000);
    expect(new Set(arrivals.map((at) => Math.round(at / 50))).size).toBeGreaterThan(10);
  });

  test('a body of almost 14 MiB passes, and of a larger one the service itself says that it is too large', async () => {
    const fits = await send(
      proxy,
      '/api/v1/responses',
      ask({ input: `say yes\n${'x'.repeat(13.9 * MEBIBYTE)}`, store: true }),
    );
    expect({ status: fits.statusCode, text: (await text(fits)).includes('"yes"') }).toEqual({
      status: 200,
      text: true,
    });

    const large = await send(proxy, '/api/v1/responses', ask({ input: 'x'.repeat(14.1 * MEBIBYTE) }));
    expect(large.statusCode).toBe(413);
    expect(JSON.parse(await text(large))).toHaveProperty('error.message');
  });

  test('webhooks come in', async () => {
    const response = await send({ ...proxy, gateway: proxy.webhook }, '/webhook', {
      headers: { 'content-type': 'application/json', 'x-webhook-secret': WEBHOOK_SECRET },
      body: JSON.stringify({ user_id: 'ann', message: 'say hi' }),
    });
    const { job_id: job } = JSON.parse(await text(response)) as { job_id: string };

    expect(await service.webhook.completed(job)).toMatchObject({ response: 'hi' });
  });
}

describe.each(['nginx', 'caddy'] as const)('a WebSocket through %s', (name) => {
  test.runIf(isInstalled(name))('is upgraded, and both sides are heard', async () => {
    await using undo = new AsyncDisposableStack();
    const upstream = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    undo.defer(() => upstream.close());
    await once(upstream, 'listening');
    upstream.on('connection', (socket) =>
      socket.on('message', (said) => socket.send(`heard ${(said as Buffer).toString()}`)),
    );
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const proxy = await startProxy(name, { gateway: url, webhook: url });
    undo.defer(() => proxy.close());

    const socket = new WebSocket(`${proxy.gateway.replace('https', 'wss')}/api/gateway/ws`, { ca: proxy.ca });
    undo.defer(() => socket.terminate());
    await once(socket, 'open');
    socket.send('hello');
    const [answer] = (await once(socket, 'message')) as [Buffer];

    expect(answer.toString()).toBe('heard hello');
  });
});

const ask = (body: object) => ({
  headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
  body: JSON.stringify({ model: 'm', ...body }),
});

type Message = { headers: Record<string, string>; body: string };

async function send({ gateway, ca }: { gateway: string; ca: string }, route: string, { headers, body }: Message) {
  const sent = request(gateway + route, { method: 'POST', headers, ca });
  sent.on('error', () => {}); // an answer may come before all was sent
  const answered = once(sent, 'response');
  sent.end(body);
  const [response] = (await answered) as [IncomingMessage];
  return response;
}
