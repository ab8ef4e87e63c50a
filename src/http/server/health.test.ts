import { pino } from 'pino';
import { expect, test } from 'vitest';
import { healthRoutes } from './health.ts';
import { createServer } from './server.ts';

test.each([
  [true, 200],
  [false, 503],
])('when ready is %s, /readyz is %d and /healthz is 200', async (ready, status) => {
  await using app = createServer({ maxBodyBytes: 10, log: pino({ level: 'silent' }) });
  await app.register(healthRoutes(async () => ready));

  expect(await app.inject('/readyz')).toMatchObject({ statusCode: status });
  expect(await app.inject('/healthz')).toMatchObject({ statusCode: 200 });
});
