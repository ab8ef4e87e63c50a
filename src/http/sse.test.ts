import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { NotFound } from '#domain/errors.ts';
import { createServer } from './server/server.ts';
import { dataFrame, sendEvents } from './sse.ts';

test('a stream whose turn is deleted is reset, and only other errors are logged', async () => {
  const logged = new PassThrough();
  const app = createServer({ maxBodyBytes: 100, log: pino({ level: 'error' }, logged) });
  app.get<{ Params: { why: string } }>('/:why', async ({ params }, reply) => {
    async function* events() {
      yield { n: 1 };
      throw params.why === 'deleted' ? new NotFound('This turn does not exist.') : new Error('a bug');
    }
    await sendEvents(reply, events(), dataFrame, new AbortController().signal);
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  for (const why of ['deleted', 'broken'])
    await expect(fetch(`${url}/${why}`).then((got) => got.text())).rejects.toThrow();
  await app.close();

  const lines = (await text(logged.end())).trim().split('\n');
  expect(lines).toEqual([expect.stringContaining('a bug')]);
});
