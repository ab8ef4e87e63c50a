import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { resetListeners } from './harms.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.close());

const TURNS = 12;

test('resetting the listening connection moves no turn away from a running replica', async () => {
  const replicas = await Promise.all([cluster.start(), cluster.start()]);
  await sleep(2500); // a replica judges others two seconds after its start
  const scripts = Array.from({ length: TURNS / 2 }, (_, i) => `turn ${i} count 80 every 100`);
  const sends = replicas.flatMap((replica) => scripts.map((script) => replica.ask(script, { background: true })));
  await Promise.all(sends);
  await waitFor('all turns to run', async () => cluster.model.seen.length === TURNS);
  for (let blip = 0; blip < 2; blip++) {
    await resetListeners(cluster);
    await sleep(2500); // long enough for the other replicas to judge
  }
  const ended = `select attempt, status from turns where ended_at is not null`;
  await waitFor('all turns to end', async () => (await query(cluster, ended)).length === TURNS);

  expect(await query(cluster, `select distinct attempt, status from turns`)).toEqual([
    { attempt: 0, status: 'completed' },
  ]);
  expect(cluster.model.seen).toHaveLength(TURNS);
});
