import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomMoment } from '../support/random-moment.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';
import { pick, startLoad } from './load.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.close());

const ROUNDS = rounds(3, 200);

test(
  'kill -9 at random moments loses nothing, repeats no unrepeatable call and blocks no thread',
  async () => {
    await Promise.all([cluster.start(), cluster.start(), cluster.start()]);
    const load = startLoad(cluster, { lanes: 16 });

    for (let round = 0; round < ROUNDS; round++) {
      await randomMoment(1000, 200);
      await pick([...cluster.replicas])?.kill();
      await cluster.start();
    }
    await load.stop();

    const failed = await load.findFailed();
    const breaches = await load.findBreaches({ deaths: true });
    await addFigures(
      '`kill -9` of a random replica of three under load on 16 lanes',
      ROUNDS,
      `${load.figures()}, ${breaches.length} breaches`,
    );
    expect(load.accepted.length).toBeGreaterThan(ROUNDS * 10);
    expect(breaches).toEqual([]);
    expect(failed).toEqual([]);
  },
  120_000 + ROUNDS * 15_000,
);
