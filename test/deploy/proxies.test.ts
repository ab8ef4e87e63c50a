import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, TOKEN, WEBHOOK_SECRET } from '../support/service.ts';
import { openSocket } from '../support/socket.ts';
import { isInstalled, type ProxyName, startProxy } from './proxies.ts';

const MEBIBYTE = 1024 * 1024;

let home: Awaited<ReturnType<typeof freshHome>>;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  [home, model] = [await freshHome({ shared: true }), await startScriptedModel()];
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

  test('tokens arrive one by one, not in a few buffered pieces', async () => {
    const response = await send(proxy, '/api/v1/responses', ask({ input: 'count 20 every 100', stream: true }));
    const pieces: number[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) {
      const deltas = chunk.toString().split('event: response.output_text.delta').length - 1;
      if (deltas > 0) pieces.push(deltas);
    }

    expect(pieces.reduce((sum, deltas) => sum + deltas)).toBe(20);
    expect(pieces.length).toBeGreaterThan(6); // a buffer of 4 KiB would make it two; a busy machine joins some
  });

  test('a body of almost 14 MiB passes, and the service itself refuses a larger one', async () => {
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

  test('a file of 64 MiB is uploaded', async () => {
    const start = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
    const end = '\r\n--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--x--\r\n';
    const stored = await send(proxy, '/v1/files', {
      headers: { 'content-type': 'multipart/form-data; boundary=x', authorization: `Bearer ${TOKEN}` },
      body: start + 'x'.repeat(64 * MEBIBYTE) + end,
    });
    expect(JSON.parse(await text(stored))).toMatchObject({ object: 'file', bytes: 64 * MEBIBYTE });
  });

  test('webhooks arrive', async () => {
    const response = await send({ ...proxy, gateway: proxy.webhook }, '/webhook', {
      headers: { 'content-type': 'application/json', 'x-webhook-secret': WEBHOOK_SECRET },
      body: JSON.stringify({ user_id: 'ann', message: 'say hi' }),
    });
    const { job_id: job } = JSON.parse(await text(response)) as { job_id: string };

    expect(await service.webhook.completed(job)).toMatchObject({ response: 'hi' });
  });

  test('a WebSocket is upgraded and works in both directions while the turn runs', async () => {
    const socket = await openSocket(proxy.gateway, {}, proxy.ca);
    socket.send({ type: 'send', message: 'hang' });
    const { turn_id } = await socket.first('accepted');
    socket.send({ type: 'cancel', turn_id });
    await socket.ended(turn_id);

    expect(socket.socket.url).toMatch(/^wss:/);
    socket.close();
  });
}

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
