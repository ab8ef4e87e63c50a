import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINE_TIMES } from '#engine/engine-times.ts';
import { QUICK_TIMES } from '../support/quick-times.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { resetListeners } from './harms.ts';
import { query } from './query.ts';
import { STATEMENTS } from './statements.ts';

let cluster: Cluster;

beforeAll(async () => {
  // A busy machine can delay a heartbeat for as long as the short times call silence.
  cluster = await startCluster({ times: { ...QUICK_TIMES, silent: ENGINE_TIMES.silent } });
});

afterAll(() => cluster.close());

const TURNS = 12;
/** Enough for a replica that has just started, or connected again, to judge the others. */
const HEARTBEATS = 10;

test('resetting the listening connection moves no turn away from a running replica', async () => {
  const lines = await Promise.all([cluster.startLine(), cluster.startLine()]);
  const everyReplicaJudges = async () => {
    const counts = lines.map((line) => line.count(STATEMENTS.beat));
    await waitFor('heartbeats', async () => counts.every((count) => count() >= HEARTBEATS));
  };
  const replicas = await Promise.all(lines.map((line) => cluster.start(line)));
  await everyReplicaJudges();
  const scripts = Array.from({ length: TURNS / 2 }, (_, i) => `turn ${i} count 60 every 100`);
  const sends = replicas.flatMap((replica) => scripts.map((script) => replica.ask(script, { background: true })));
  await Promise.all(sends);
  await waitFor('all turns to run', async () => cluster.model.seen.length === TURNS);
  for (let blip = 0; blip < 2; blip++) {
    await resetListeners(cluster);
    await everyReplicaJudges();
  }
  const ended = `select attempt, status from turns where ended_at is not null`;
  await waitFor('all turns to end', async () => (await query(cluster, ended)).length === TURNS);

  expect(await query(cluster, `select distinct attempt, status from turns`)).toEqual([
    { attempt: 0, status: 'completed' },
  ]);
  expect(cluster.model.seen).toHaveLength(TURNS);
});
