import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventsOf, openSocket, saidIn } from '../support/socket.ts';
import { type Cluster, startCluster } from './cluster.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterEach(() => cluster.forget());

afterAll(() => cluster.close());

const COUNTED = Array.from({ length: 60 }, (_, index) => `${index} `).join('');

test('a subscriber on one replica receives a turn that another replica runs', async () => {
  const [one, other] = await cluster.pair();
  const here = await openSocket(one.url);
  const there = await openSocket(other.url);
  here.send({ type: 'send', message: 'say hello' });
  const { thread_id, turn_id } = await here.first('accepted');
  await here.ended(turn_id);
  there.send({ type: 'subscribe', thread_id, after: { turn_id } });
  await there.ended(turn_id);

  here.send({ type: 'send', message: 'count 60 every 5', thread_id });
  const next = (await here.first('accepted', here.seen.length)).turn_id;
  await Promise.all([here.ended(next), there.ended(next)]);
  expect(eventsOf(there.seen)).toEqual(eventsOf(here.seen));
  expect(saidIn(there.seen)).toBe(`hello${COUNTED}`);
  here.close();
  there.close();
});

test("when a subscriber's replica is killed, the subscriber continues on another replica without a gap", async () => {
  const [victim, survivor] = await cluster.pair();
  const before = await openSocket(victim.url);
  before.send({ type: 'send', message: 'count 60 every 40' });
  const { thread_id, turn_id } = await before.first('accepted');
  await before.until('some text', () => eventsOf(before.seen, turn_id).length > 12);
  await victim.kill();
  await before.closed();

  const seen = eventsOf(before.seen, turn_id);
  const after = await openSocket(survivor.url);
  after.send({ type: 'subscribe', thread_id, after: { turn_id, sequence: seen.at(-1)?.sequence } });
  await after.ended(turn_id);

  const all = [...seen, ...eventsOf(after.seen, turn_id)];
  const numbers = all.map(({ sequence }) => sequence);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  const done = all.flatMap(({ event }) => (event.type === 'item-done' && event.written ? [event.item] : []));
  expect(done).toHaveLength(1);
  expect(saidIn(all, done[0]?.id)).toBe(COUNTED);

  const inspected = await survivor.request(`/api/turns/${turn_id}`);
  expect(await inspected.json()).toMatchObject({ attempts: 2, status: 'completed', superseded: [{ attempt: 0 }] });
  after.close();
});
