import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DeliveryId, newId, type ReplicaId } from '#domain/ids.ts';
import type { CarryResult, Delivery } from '#domain/notification/delivery.ts';
import { type EndedAttempt, endDeliveries, takeDeliveries } from '#store/system/deliveries.ts';
import { type NewDelivery, routeOutbox } from '#store/system/outbox.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { randomMoment } from '../../../test/support/random-moment.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { type Carry, startDelivering } from './deliver.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: pg.Pool;
const self = newId<ReplicaId>();

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = database.everything;
});
beforeEach(() => pool.query('truncate outbox, deliveries, delivery_targets, delivery_attempts, delivery_blocks'));
afterAll(() => database.close());

const sent: CarryResult = { outcome: 'sent', status: 204 };
const failed: CarryResult = { outcome: 'failed', error: 'The receiver answered 500.', status: 500 };
const after = (waitSeconds: number, more = {}) =>
  ({ state: 'pending', countsAsFailure: true, waitSeconds, isRequeued: false, pauseSeconds: null, ...more }) as const;
const SENT_END = { ...after(0), state: 'sent', countsAsFailure: false } as const;

async function endDelivery(
  delivery: EndedAttempt['delivery'],
  result: CarryResult,
  end: EndedAttempt['end'],
): Promise<boolean | undefined> {
  const [counts] = await endDeliveries(pool, [{ delivery, result, end }]);
  return counts;
}

const take = (room = 10, lease = 60) => takeDeliveries(pool, self, room, lease);

/** Announces an event, and routes it to each of the targets, in one transaction: deliverers that run would route it to none. */
async function deliverTo(targets: readonly string[], account = 'host:a.example'): Promise<DeliveryId[]> {
  const made = targets.map((target) => {
    const rest = { userId: 'ann', kind: 'event', account, type: 'turn.ended', payload: null } as const;
    return { id: newId<DeliveryId>(), target, dueAt: new Date(0), ...rest };
  });
  await waitFor('the routing', async () => {
    const client = await pool.connect();
    await client.query('begin');
    const { rows } = await client.query<{ number: string }>(
      `insert into outbox (user_id, type, subject) values ('ann', 'turn.ended', $1) returning number`,
      [newId()],
    );
    const number = rows[0]?.number ?? '';
    const wanted = made.map((each): NewDelivery => ({ ...each, number }));
    const routed = await routeOutbox(client, [number], wanted);
    const again = await routeOutbox(client, [number], wanted); // by a replica that has read the same rows
    const isRouted = routed === 1 && again === 0;
    await client.query(isRouted ? 'commit' : 'rollback');
    client.release();
    return isRouted;
  });
  return made.map(({ id }) => id);
}

const stateOf = async (id: DeliveryId) =>
  (await pool.query<Delivery>('select state, attempts, failures from deliveries where id = $1', [id])).rows[0];

test('the deliveries of a target are taken one at a time and in order; other targets do not wait', async () => {
  const [first] = await deliverTo(['endpoint:a']);
  const [second] = await deliverTo(['endpoint:a']);
  const [other] = await deliverTo(['endpoint:b']);

  const taken = await take();
  expect(new Set(taken.map(({ id }) => id))).toEqual(new Set([first, other]));
  expect(await take()).toEqual([]);

  const head = taken.find(({ id }) => id === first) as Delivery;
  expect(await endDelivery(head, failed, after(30))).toBe(true);
  expect(await take()).toEqual([]); // the first one is tried again before the second
  await pool.query(`update delivery_targets set due_at = now() where target = 'endpoint:a'`);
  const [again] = await take(1);
  expect(again).toMatchObject({ id: first, attempts: 2, failures: 1 });
  await endDelivery(again as Delivery, sent, SENT_END);
  expect((await take()).map(({ id }) => id)).toEqual([second]);
});

test('a replica that dies during an attempt leaves it unknown, and another one repeats it after the lease', async () => {
  const [id] = await deliverTo(['endpoint:a']);
  await take(10, 0.05);
  const [again] = await waitFor('the lease to end', async () => {
    const taken = await take();
    return taken.length > 0 ? taken : undefined;
  });

  expect(again).toMatchObject({ id, attempts: 2 });
  const { rows } = await pool.query('select attempt, outcome from delivery_attempts order by attempt');
  expect(rows).toEqual([
    { attempt: 1, outcome: 'unknown' },
    { attempt: 2, outcome: null },
  ]);
});

test('a late failure of an old attempt changes nothing, and a late success counts', async () => {
  const [id] = await deliverTo(['endpoint:a']);
  const [old] = (await take(10, 0)) as [Delivery];
  const [newer] = (await take()) as [Delivery];

  expect(await endDelivery(old, failed, after(30))).toBe(false);
  expect(await stateOf(id as DeliveryId)).toMatchObject({ state: 'sending', attempts: 2 });
  expect(await endDelivery(old, sent, SENT_END)).toBe(true);
  expect(await stateOf(id as DeliveryId)).toMatchObject({ state: 'sent' });
  expect(await endDelivery(newer, failed, after(30))).toBe(false);
  expect((await pool.query('select from delivery_targets')).rowCount).toBe(0);
});

test('a limit blocks every target of the account, also those that come later, and no other account', async () => {
  await deliverTo(['endpoint:a', 'endpoint:b']);
  const [limited] = (await take(1)) as [Delivery];
  const result: CarryResult = { outcome: 'limited', error: 'The receiver answered 429.', retryAfterSeconds: 600 };
  await endDelivery(limited, result, after(600, { countsAsFailure: false, pauseSeconds: 600 }));
  await deliverTo(['endpoint:c']);
  const [free] = await deliverTo(['endpoint:d'], 'host:b.example');

  expect((await take()).map(({ id }) => id)).toEqual([free]);
  expect(await stateOf(limited.id)).toMatchObject({ failures: 0 });
});

test('a target that is gone takes all its deliveries with it', async () => {
  const [first] = await deliverTo(['endpoint:a']);
  const [second] = await deliverTo(['endpoint:a']);
  const [head] = (await take()) as [Delivery];
  await endDelivery(head, { outcome: 'gone', error: 'It is gone.' }, { ...after(0), state: 'dead' });

  expect(await stateOf(first as DeliveryId)).toMatchObject({ state: 'dead', attempts: 1 });
  expect(await stateOf(second as DeliveryId)).toMatchObject({ state: 'dead', attempts: 0 });
});

test('a requeued delivery lets the later ones of its target pass', async () => {
  const [first] = await deliverTo(['endpoint:a']);
  const [second] = await deliverTo(['endpoint:a']);
  const [head] = (await take()) as [Delivery];
  await endDelivery(head, failed, after(0, { isRequeued: true }));

  const [next] = (await take()) as [Delivery];
  expect(next.id).toBe(second);
  await endDelivery(next, sent, SENT_END);
  expect((await take()).map(({ id }) => id)).toEqual([first]);
});

test('two replicas deliver 200 events to 10 targets once each and in order, and a stop loses none', async () => {
  const seen: Delivery[] = [];
  const busy = new Set<string>();
  const carry: Carry = async (delivery, { signal }) => {
    expect(busy.has(delivery.target)).toBe(false);
    busy.add(delivery.target);
    await randomMoment(3);
    busy.delete(delivery.target);
    if (signal.aborted) return { outcome: 'interrupted', error: 'stopped' };
    seen.push(delivery);
    return sent;
  };
  const start = () =>
    startDelivering({
      system: pool,
      followDue: () => {},
      replica: newId<ReplicaId>(),
      carriers: { event: carry, callback: carry, chat: carry, push: carry },
      pace: { pollEveryMs: 5 },
      onAttempt: () => {},
      onDead: () => {},
      onError: (error) => expect.unreachable(String(error)),
    });
  const targets = Array.from({ length: 10 }, (_, index) => `endpoint:${index}`);
  const [one, two] = [start(), start()];
  for (let round = 0; round < 20; round++) {
    await deliverTo(targets);
    if (round === 10) await one.stop();
  }
  await waitFor('all to arrive', async () => seen.length >= 200);
  await two.stop();

  expect(seen).toHaveLength(200);
  for (const target of targets) {
    const ids = seen.filter((delivery) => delivery.target === target).map(({ id }) => id);
    const { rows } = await pool.query('select id from deliveries where target = $1 order by seq', [target]);
    expect(ids).toEqual(rows.map(({ id }) => id));
  }
}, 20_000);

test('the ends of several deliveries are recorded together, each by itself', async () => {
  await deliverTo(['one', 'two', 'three']);
  const taken = await take();
  const [one, two, three] = ['one', 'two', 'three'].map((target) => taken.find((each) => each.target === target)) as [
    Delivery,
    Delivery,
    Delivery,
  ];
  await pool.query('update deliveries set attempts = attempts + 1 where id = $1', [two.id]);

  const counts = await endDeliveries(pool, [
    { delivery: three, result: sent, end: SENT_END },
    { delivery: two, result: failed, end: after(30) },
    { delivery: one, result: failed, end: after(30) },
    { delivery: { id: newId<DeliveryId>(), attempts: 1 }, result: sent, end: SENT_END },
  ]);

  expect(counts).toEqual([true, false, true, false]);
  const { rows } = await pool.query('select target, state from deliveries order by target');
  expect(rows).toEqual([
    { target: 'one', state: 'pending' },
    { target: 'three', state: 'sent' },
    { target: 'two', state: 'sending' },
  ]);
});
