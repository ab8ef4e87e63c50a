import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addUser } from '../support/accounts.ts';
import { freshHome } from '../support/fresh-home.ts';
import { readStream, type StreamEvent } from '../support/read-stream.ts';
import { runReborn } from '../support/run-reborn.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, WEBHOOK_SECRET } from '../support/service.ts';
import { openSocket } from '../support/socket.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

type Service = Awaited<ReturnType<typeof startService>>;

let home: Awaited<ReturnType<typeof freshHome>>;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let service: Service;
let replica: Service;

beforeAll(async () => {
  [home, model] = await Promise.all([freshHome(), startScriptedModel()]);
  const scripted = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url };
  const env = { ...home.env, ...scripted, HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET };
  service = await startService(env);
  replica = await startService(env);
});
afterAll(async () => {
  await Promise.all([service.close(), replica.close()]);
  await model.close();
  await home.remove();
});

const byApi = (id: string) => service.request(`/api/users/${id}`, { method: 'DELETE' });
const byCommand = (id: string) => runReborn(['user', 'remove', id], { env: home.env });

/** Removes somebody who has a turn, a stream and a socket on the other replica; how long each of them lasted, in ms. */
async function lastingAfter(remove: (id: string) => Promise<unknown>) {
  const ann = await addUser(service, 'Ann');
  const socket = await openSocket(replica.url, ann.headers);
  const body = JSON.stringify({ model: 'm', stream: true, input: 'count 600 every 100' });
  const stream = await replica.request('/v1/responses', { method: 'POST', body, headers: ann.headers });
  const events: StreamEvent[] = [];
  const begun = Promise.withResolvers<void>();
  const streamed = (async () => {
    for await (const event of readStream(stream)) {
      events.push(event);
      if (event.type === 'response.output_text.delta') begun.resolve();
    }
    return performance.now();
  })();
  await begun.promise;

  await remove(ann.id);
  const removedAt = performance.now();
  const closed = socket.closed().then(({ code }) => ({ code, at: performance.now() }));
  const [streamEnd, socketEnd] = await Promise.all([streamed, closed]);
  expect(socketEnd.code).toBe(4401);
  expect(events.at(-1)?.response?.status).toBe('cancelled');
  expect(await home.query(`select from turns where user_id = $1 and status <> 'cancelled'`, [ann.id])).toEqual([]);
  for (const on of [service, replica]) expect((await on.request('/api/me', { headers: ann.headers })).status).toBe(401);
  return { stream: streamEnd - removedAt, socket: socketEnd.at - removedAt };
}

test.each([
  ['the API', byApi],
  ['a command', byCommand],
])('a user removed by %s loses turns, streams and sockets on every replica within a second', async (_way, remove) => {
  const tries = [];
  do tries.push(await lastingAfter(remove));
  while (tries.length < 3 && Math.max(...Object.values(tries.at(-1) ?? {})) > 1000); // a busy machine
  expect(Math.max(...Object.values(tries.at(-1) ?? {}))).toBeLessThan(1000);
});

test('pairings end with the user whose secrets they lend', async () => {
  const bob = await addUser(service, 'Bob');
  await home.query(
    `insert into pairings (user_id, paired_user_id) values ('webhook:a', $1), ('webhook:b', 'operator')`,
    [bob.id],
  );
  await byApi(bob.id);

  expect(await home.query('select user_id from pairings')).toEqual([{ user_id: 'webhook:b' }]);
});
