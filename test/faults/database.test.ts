import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';
import { signalPostmaster } from './harms.ts';
import { startLoad } from './load.ts';

let cluster: Cluster;

beforeEach(async () => {
  cluster = await startCluster();
});

afterEach(() => cluster.close());

const ROUNDS = rounds(2, 60);

test.each([
  ['its connections are cut', async () => cluster.proxy.cut(), {}],
  ['it is away for a second', () => away(1000), {}],
  ['it is restarted', () => signalPostmaster(cluster, 'SIGINT'), {}],
  ['it is killed with -9', () => signalPostmaster(cluster, 'SIGKILL'), { lostLog: true }],
])(
  'PostgreSQL under load, %s: everything continues without a restart of the replicas',
  async (what, harm, account) => {
    await Promise.all([cluster.start(), cluster.start()]);
    const load = startLoad(cluster);
    for (let round = 0; round < ROUNDS; round++) {
      await load.hear();
      await harm();
    }
    await load.hear();
    await load.stop();

    const breaches = await load.findBreaches(account);
    await addFigures(`PostgreSQL under load, ${what}`, ROUNDS, `${load.figures()}, ${breaches.length} breaches`);
    expect(breaches).toEqual([]);
    expect(cluster.replicas.size).toBe(2);
  },
  120_000 + ROUNDS * 15_000,
);

async function away(milliseconds: number): Promise<void> {
  cluster.proxy.break();
  await sleep(milliseconds);
  cluster.proxy.repair();
}
