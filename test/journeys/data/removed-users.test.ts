import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { readStream, type StreamEvent } from '../../support/read-stream.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { type Service, WEBHOOK_SECRET } from '../../support/service.ts';
import { openSocket } from '../../support/socket.ts';

const test = journey()
  .override('settings', { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET })
  .extend('replica', { scope: 'file' }, ({ startAnother }) => startAnother());

/** Removes a user who has a turn, a stream and a socket on the other replica. Returns how long each of them lasted, in ms. */
async function lastingAfter(service: Service, home: Home, replica: Service, remove: (id: string) => Promise<unknown>) {
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

const REMOVALS: [way: string, remove: (id: string, service: Service) => Promise<unknown>][] = [
  ['the API', (id, service) => service.request(`/api/users/${id}`, { method: 'DELETE' })],
  ['a command', (id, service) => runReborn(['user', 'remove', id], { env: service.remote })],
];

test.for(REMOVALS)(
  'a user removed by %s loses turns, streams and sockets on every replica within a second',
  async ([_way, remove], { service, home, replica }) => {
    const tries = [];
    do tries.push(await lastingAfter(service, home, replica, (id) => remove(id, service)));
    while (tries.length < 3 && Math.max(...Object.values(tries.at(-1) ?? {})) > 1000); // a busy machine
    expect(Math.max(...Object.values(tries.at(-1) ?? {}))).toBeLessThan(1000);
  },
);

test("removing a user removes the pairings that lend the user's secrets", async ({ service, home }) => {
  const bob = await addUser(service, 'Bob');
  await home.query(
    `insert into pairings (user_id, paired_user_id) values ('webhook:a', $1), ('webhook:b', 'operator')`,
    [bob.id],
  );
  await service.request(`/api/users/${bob.id}`, { method: 'DELETE' });

  expect(await home.query('select user_id from pairings')).toEqual([{ user_id: 'webhook:b' }]);
});
