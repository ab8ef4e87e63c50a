import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Conflict, InvalidRequest, InvalidSecret, NotFound, Superseded } from '#domain/errors.ts';
import type { TurnId } from '#domain/ids.ts';
import { createServer } from '../server/server.ts';

/** The answer to the caller and the log lines of a route that throws. */
async function answerTo(error: Error) {
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  await using app = createServer({ maxBodyBytes: 100, log: pino(sink) });
  app.get('/', async () => {
    throw error;
  });
  return { response: await app.inject('/'), logged };
}

test.each<[Error, number, object]>([
  [
    new InvalidRequest('call_id_mismatch', 'input.call_id', 'Wrong.'),
    400,
    { message: 'Wrong.', type: 'invalid_request_error', code: 'call_id_mismatch', param: 'input.call_id' },
  ],
  [
    new InvalidRequest('invalid_request', null, 'Wrong.'),
    400,
    { message: 'Wrong.', type: 'invalid_request_error', code: 'invalid_request', param: null },
  ],
  [
    new InvalidSecret('Who?'),
    401,
    { message: 'Who?', type: 'authentication_error', code: 'invalid_secret', param: null },
  ],
  [new NotFound('Gone.'), 404, { message: 'Gone.', type: 'not_found_error', code: 'not_found', param: null }],
  [
    new Conflict('thread_busy', 'Later.'),
    409,
    { message: 'Later.', type: 'conflict_error', code: 'thread_busy', param: null },
  ],
  [
    new Conflict('idempotency_mismatch', 'Other.'),
    409,
    { message: 'Other.', type: 'conflict_error', code: 'idempotency_mismatch', param: null },
  ],
])('%s is answered with %d, and not logged', async (error, status, envelope) => {
  const { response, logged } = await answerTo(error);

  expect(response.statusCode).toBe(status);
  expect(response.json()).toEqual({ error: envelope });
  expect(logged).toEqual([]);
});

test.each([
  new TypeError('password is hunter2'),
  new Superseded('hunter2' as TurnId),
  Object.assign(new Error('hunter2'), { statusCode: 503, code: 'hunter2' }),
])('a bug is 500 with a request id and no details, and is logged: %s', async (bug) => {
  const { response, logged } = await answerTo(bug);

  expect(response.statusCode).toBe(500);
  expect(response.json()).toEqual({
    error: {
      message: expect.stringContaining(String(response.headers['x-request-id'])),
      type: 'server_error',
      code: 'internal_error',
      param: null,
    },
  });
  expect(response.body).not.toContain('hunter2');
  expect(logged).toEqual([expect.stringContaining('hunter2')]);
  expect(logged[0]).toContain(String(response.headers['x-request-id']));
});

test('an unknown route is 404 in the same envelope, and the message does not contain its query', async () => {
  await using app = createServer({ maxBodyBytes: 100, log: pino({ level: 'silent' }) });

  const response = await app.inject('/nowhere?token=secret');

  expect(response.statusCode).toBe(404);
  expect(response.json()).toEqual({
    error: { message: 'GET /nowhere does not exist.', type: 'not_found_error', code: 'not_found', param: null },
  });
});

test('with `isAway`, an unavailable database is a plain-text 503, and any other error stays a 500', async () => {
  const isAway = (error: unknown) => error instanceof RangeError;
  await using app = createServer({ maxBodyBytes: 100, log: pino({ level: 'silent' }), isAway });
  app.get('/away', async () => {
    throw new RangeError('away');
  });
  app.get('/bug', async () => {
    throw new Error('a bug');
  });

  const response = await app.inject('/away');
  expect([response.statusCode, response.headers['content-type'], response.body]).toEqual([
    503,
    'text/plain; charset=utf-8',
    'Database unavailable',
  ]);
  expect((await app.inject('/bug')).statusCode).toBe(500);
});
