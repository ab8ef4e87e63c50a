import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Verdict } from '#auth/authenticate.ts';
import { OPERATOR } from '#domain/principal.ts';
import { createServer } from '../server/server.ts';
import { requireBearer } from './bearer.ts';

const VERDICTS: Record<string, Verdict> = {
  good: { outcome: 'known', principal: OPERATOR },
  foreign: { outcome: 'domain-not-allowed' },
  untimely: { outcome: 'database-away' },
  unsure: { outcome: 'provider-away' },
};

const judge = async (token: string) => VERDICTS[token] ?? ({ outcome: 'unknown' } as const);

/** A protected route, and an open one beside it. */
async function startServer() {
  const app = createServer({ maxBodyBytes: 10, log: pino({ level: 'silent' }) });
  app.get('/open', async () => 'open');
  await app.register(async (inner) => {
    requireBearer(inner, { bearer: judge, session: judge, site: { publicUrl: undefined } });
    inner.post('/closed', async (request) => request.principal);
  });
  return app;
}

async function post(authorization: string | undefined, payload = '{}') {
  await using app = await startServer();
  const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
  return await app.inject({ method: 'POST', url: '/closed', payload, headers });
}

test.each(['Bearer good', 'bearer good', 'BEARER   good'])('%j gives the handler its principal', async (header) => {
  const response = await post(header);

  expect(response.statusCode).toBe(200);
  expect(response.json()).toEqual(OPERATOR);
});

test.each([undefined, '', 'Bearer', 'Bearer ', 'Bearer bad', 'Bearer good bad', 'good', 'Basic good', 'XBearer good'])(
  'the Authorization %j is 401, in plain text',
  async (header) => {
    const response = await post(header);

    expect(response.statusCode).toBe(401);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(response.body).toBe('Invalid or missing auth token');
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.headers).toHaveProperty('x-request-id');
  },
);

test.each([
  ['foreign', 403, 'Email domain not allowed'],
  ['untimely', 503, 'Database unavailable'],
  ['unsure', 503, 'Identity provider unavailable'],
])('the verdict %s is answered with %d and the plain text %s', async (token, status, text) => {
  const response = await post(`Bearer ${token}`);

  expect([response.statusCode, response.body]).toEqual([status, text]);
  expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
});

test.each(['{', '"more than ten bytes"'])('the token is checked before the body %s', async (payload) => {
  expect(await post('Bearer bad', payload)).toMatchObject({ statusCode: 401 });
});

test('public routes need no token', async () => {
  await using app = await startServer();

  expect(await app.inject('/open')).toMatchObject({ statusCode: 200, body: 'open' });
});
