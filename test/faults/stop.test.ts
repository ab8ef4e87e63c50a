import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { QUICK_LEASE } from '../support/quick-times.ts';
import { readStream, type StreamEvent } from '../support/read-stream.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster, turnIdOf } from './cluster.ts';
import { findBreaches } from './ledger.ts';
import { query } from './query.ts';
import { STATEMENTS } from './statements.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ times: QUICK_LEASE });
});

afterEach(() => cluster.forget());

afterAll(() => cluster.close());

test('a replica that hung until its turns were taken over writes nothing afterwards', async () => {
  const [hung, peer] = await cluster.pair();
  const ids = (
    await Promise.all(Array.from({ length: 5 }, () => hung.ask('count 40 every 100', { background: true })))
  ).map(({ id }) => id);
  await waitFor('the turns to run', async () => cluster.model.seen.length === 5);
  hung.send('SIGSTOP');
  await waitFor('the peer to take over', async () => asked(peer.name) === 5, 90_000);
  hung.send('SIGCONT');
  await waitFor(
    'the peer to finish',
    async () => (await states(ids)).every(({ status }) => status === 'completed'),
    90_000,
  );

  // It still answers and has noticed the takeover.
  expect((await hung.request('/readyz')).status).toBe(200);
  expect(await findBreaches(cluster.connection, { accepted: ids.map(turnIdOf) })).toEqual([]);
  const written = await query<{ attempt: number }>(
    cluster,
    'select distinct attempt from items where attempt is not null',
  );
  expect(written).toEqual([{ attempt: 1 }]);
  const logged = await query(cluster, 'select 1 from turn_events where first < 1000000 and created_at > $1', [
    new Date(peerTookOver(peer.name)),
  ]);
  expect(logged).toEqual([]);
  await hung.kill(); // it has logged errors, which no later test may find
});

test('SIGTERM under load: nothing fails, a peer finishes everything at once, and the process ends within 10 s', async () => {
  const [leaving, peer] = await cluster.pair();
  const sends = Array.from({ length: 30 }, (_, i) => leaving.ask(`turn ${i} count 20 every 50`, { background: true }));
  const ids = (await Promise.all(sends)).map(({ id }) => id);
  await waitFor('the turns to run', async () => cluster.model.seen.length >= 30);

  const begun = performance.now();
  await leaving.kill('SIGTERM');
  expect(performance.now() - begun).toBeLessThan(10_000);
  await waitFor('the peer to finish', async () => (await states(ids)).every(({ status }) => status === 'completed'));

  expect(asked(peer.name)).toBeGreaterThan(0);
  expect(leaving.output()).not.toContain('"level":50');
  expect(await findBreaches(cluster.connection, { accepted: ids.map(turnIdOf) })).toEqual([]);
});

test('SIGTERM resets open streams, which never end cleanly without their terminal event', async () => {
  const [leaving, peer] = await cluster.pair();
  const response = await leaving.post({ input: 'count 30 every 100', stream: true });
  const first = await response.body?.getReader().read();
  const id = /resp_[0-9a-f]{64}/.exec(new TextDecoder().decode(first?.value))?.[0] ?? '';

  const whole = leaving.post({ input: 'count 30 every 100', stream: true }).then((other) => other.text());
  await waitFor('both turns to run', async () => cluster.model.seen.length === 2);
  await Promise.all([leaving.kill('SIGTERM'), expect(whole).rejects.toThrow(TypeError)]);

  const watched = await (await peer.request(`/api/v1/responses/${id}?stream=true`)).text();
  expect(watched).toContain('event: response.completed');
});

test('SIGTERM while the end of a turn is written: a client that comes back gets the end of the message', async () => {
  const [leaving, peer] = await cluster.pair();
  // The turn's end is stored after the replica began to stop, and before its log is written.
  await query(cluster, slowWrites('turns', 'update', 1));
  await query(cluster, slowWrites('turn_events', 'insert', 2));
  const events: StreamEvent[] = [];
  const reading = (async () => {
    const response = await leaving.post({ input: 'count 3 every 20', stream: true });
    for await (const event of readStream(response)) events.push(event);
  })();
  await waitFor('the end to be written', async () => {
    const [settling] = await query(
      cluster,
      `select from pg_stat_activity where state = 'active' and query ~ '${STATEMENTS.settle.source}' and pid <> pg_backend_pid()`,
    );
    return settling !== undefined;
  });
  await Promise.all([leaving.kill('SIGTERM'), reading]);
  await query(cluster, 'drop trigger slow_writes on turns; drop trigger slow_writes on turn_events');

  const { id } = events[0]?.response ?? { id: '' };
  const after = events.at(-1)?.sequence_number;
  const rest = await peer.request(`/api/v1/responses/${id}?stream=true&starting_after=${after}`);
  events.push(...(await Array.fromAsync(readStream(rest))));
  expect(events.filter(({ type }) => type === 'response.output_text.done')).toMatchObject([{ text: '0 1 2 ' }]);
  expect(events.at(-1)?.type).toBe('response.completed');
});

const slowWrites = (table: 'turns' | 'turn_events', write: 'insert' | 'update', seconds: number) => `
  create function slow_${table}() returns trigger language plpgsql as $$ begin perform pg_sleep(${seconds}); return new; end $$;
  create trigger slow_writes before ${write} on ${table} for each row
    ${table === 'turns' ? 'when (new.ended_at is not null)' : ''} execute function slow_${table}()`;

const asked = (name: string) => cluster.model.seen.filter((prompt) => prompt.by === name).length;

const peerTookOver = (name: string) =>
  performance.timeOrigin + Math.max(...cluster.model.seen.filter((prompt) => prompt.by === name).map(({ at }) => at));

function states(responseIds: readonly string[]): Promise<{ status: string }[]> {
  return query(cluster, 'select status from turns where id = any($1)', [responseIds.map(turnIdOf)]);
}
