import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createServer } from './server.ts';

const json = { 'content-type': 'application/json' };
const invalid = { type: 'invalid_request_error', code: 'invalid_request', param: null };

let app: FastifyInstance;
let received: unknown;

beforeEach(() => {
  received = 'nothing';
  app = createServer({ maxBodyBytes: 100, log: pino({ level: 'silent' }) });
  app.post('/take', async (request) => {
    received = request.body;
    return {};
  });
});

afterEach(() => app.close());

const post = (payload: string | Buffer | undefined, headers: InjectOptions['headers'] = json) =>
  app.inject({ method: 'POST', url: '/take', ...(payload !== undefined && { payload }), headers: { ...headers } });

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
  'a body of Content-Type %s is read as JSON',
  async (type) => {
    await post('{"a":[1]}', { 'content-type': type });

    expect(received).toEqual({ a: [1] });
  },
);

test.each(['text/plain', 'application/jsonx', 'application/x-www-form-urlencoded', 'nonsense', ''])(
  'the Content-Type %j is refused with 400',
  async (type) => {
    const response = await post('{"a":1}', { 'content-type': type });

    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ error: invalid });
    expect(received).toBe('nothing');
  },
);

test('a missing Content-Type is 400, and the answer says what to send', async () => {
  const response = await post(Buffer.from('{"a":1}'), {});

  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({
    error: { ...invalid, message: expect.stringContaining('Content-Type: application/json') },
  });
});

test.each(['{"a":1', '{a:1}', "{'a':1}", ' ', 'NaN', '{"a":1}x'])('the malformed JSON %j is 400', async (payload) => {
  const response = await post(payload);

  expect(response.statusCode).toBe(400);
  expect(response.json()).toEqual({ error: { ...invalid, message: 'The body is not valid JSON.' } });
});

test('an empty body counts as no body', async () => {
  await post('');

  expect(received).toBeUndefined();
});

test('a field named __proto__ is an ordinary field', async () => {
  const response = await post('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}');

  expect(response.statusCode).toBe(200);
  expect(Object.keys(received as object)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(received)).toBe(Object.prototype);
  expect({}).not.toHaveProperty('admin');
});

test('a body may have exactly as many bytes as the limit', async () => {
  expect(await post(`"${'é'.repeat(49)}"`)).toMatchObject({ statusCode: 200 });

  const refused = await post(`"${'é'.repeat(49)}a"`);
  expect(refused.statusCode).toBe(413);
  expect(refused.json()).toMatchObject({
    error: { type: 'invalid_request_error', code: 'body_too_large', param: null },
  });
});

test('every answer has a unique X-Request-Id', async () => {
  const answers = await Promise.all([post('{}'), post('{'), app.inject('/nowhere'), app.inject('/nowhere')]);
  const ids = answers.map((answer) => answer.headers['x-request-id']);

  expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[0-9a-f-]{36}$/)));
  expect(new Set(ids)).toHaveProperty('size', ids.length);
});

test('a request whose headers are too large gets the envelope and its id, and the connection is closed', async () => {
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  for (const path of ['/take', `/${'x'.repeat(20_000)}`]) {
    const answer = await fetch(address + path, { headers: { 'x-long': 'y'.repeat(path === '/take' ? 40_000 : 1) } });
    expect(answer.status).toBe(431);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await answer.json()).toMatchObject({ error: { ...invalid, message: expect.stringContaining('16 KiB') } });
  }
});

const PAGE = 'https://app.example.com';

test('pages of other origins may use the API only if the operator lists them, and never with cookies', async () => {
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const preflight = (server: FastifyInstance, url: string, origin: string) =>
    server.inject({ method: 'OPTIONS', url, headers: { ...asked, origin } });
  expect(await preflight(app, '/v1/take', PAGE)).toMatchObject({ statusCode: 404 });

  await using open = createServer({ maxBodyBytes: 100, log: pino({ level: 'silent' }), corsOrigins: [PAGE] });
  open.get('/v1/take', async () => ({}));
  open.get('/page', async () => ({}));
  const answer = await preflight(open, '/v1/take', PAGE);
  expect([answer.statusCode, answer.headers]).toMatchObject([
    204,
    {
      'access-control-allow-origin': PAGE,
      'access-control-allow-headers': 'authorization',
      'access-control-allow-methods': expect.stringContaining('POST'),
      vary: 'Origin',
      'x-request-id': expect.any(String),
    },
  ]);
  expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  const get = async (url: string, origin: string) =>
    (await open.inject({ url, headers: { origin } })).headers['access-control-allow-origin'];
  expect([await get('/v1/take', PAGE), await get('/page', PAGE)]).toEqual([PAGE, undefined]);
  expect(await get('/v1/take', 'https://evil.example')).toBeUndefined();
  expect(await preflight(open, '/v1/take', 'https://evil.example')).toMatchObject({ statusCode: 404 });
});

test('an answered request leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  app.get('/short', async () => ({}));
  const before = timers();
  for (let count = 0; count < 20; count++) await app.inject('/short');
  expect(timers() - before).toBeLessThan(20);
});
