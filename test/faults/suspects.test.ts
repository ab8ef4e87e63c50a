import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, rounds, startCluster, turnIdOf } from './cluster.ts';
import { addFigures } from './figures.ts';
import { findBreaches } from './ledger.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeEach(async () => {
  cluster = await startCluster();
});

afterEach(() => cluster.close());

const ROUNDS = rounds(1, 20);
const SUSPECTS = 40;

test(
  'forty turns whose hosts died twice: the third replica runs them in groups, and answers other requests at once',
  async () => {
    const { idle, alone } = await measureIdle();
    const accepted: string[] = [];
    let slowest = 0;
    let longest = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { ids, host } = await crashTwice(round);
      accepted.push(...ids.map(turnIdOf));
      const begun = performance.now();
      slowest = Math.max(slowest, await timeOf(host));
      expect((await host.request('/readyz')).status).toBe(200);
      slowest = Math.max(slowest, await timeOf(host));
      await waitFor('the suspects to end', async () => (await unended()) === 0, 90_000);
      longest = Math.max(longest, performance.now() - begun);
      await host.kill();
    }
    const rows = await query(cluster, 'select distinct status, failure::text from turns where id = any($1)', [
      accepted,
    ]);
    await addFigures(
      `two crashes with ${SUSPECTS} long calls`,
      ROUNDS,
      `${accepted.length} turns completed; another turn took at most ${(slowest / 1000).toFixed(1)} s meanwhile`,
    );
    expect(slowest).toBeLessThan(Math.max(2000, 5 * idle, longest / 3)); // on a slow machine all takes longer
    expect(longest / alone).toBeLessThan(SUSPECTS / 4);
    expect(rows).toEqual([{ status: 'completed', failure: null }]);
    expect(await findBreaches(cluster.connection, { accepted, deaths: true })).toEqual([]);
  },
  120_000 + ROUNDS * 90_000,
);

test('/readyz is 503 while a replica can accept and claim nothing, and 200 again afterwards', async () => {
  const replica = await cluster.start();
  // A probe has a deadline, too. Without it, the first one would wait until its statement is given up.
  const status = async () =>
    fetch(`${replica.url}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.status,
      () => undefined,
    );
  expect(await status()).toBe(200);
  cluster.proxy.freeze();
  await waitFor('503', async () => (await status()) === 503);
  cluster.proxy.thaw();
  await waitFor('200', async () => (await status()) === 200);
  expect((await replica.ask('say on')).status).toBe('completed');
});

/** Turns in their first model call, whose replica dies, and so does the next one. The caller gets the third replica. */
async function crashTwice(round: number): Promise<{ ids: string[]; host: Replica }> {
  const ofRound = () =>
    cluster.model.seen.filter(({ messages }) => messages.at(-1)?.text.startsWith(`r${round} `)).length;
  const first = await cluster.start();
  const sends = Array.from({ length: SUSPECTS }, (_, i) =>
    first.ask(`r${round} t${i} count 20 every 100`, { background: true }),
  );
  const ids = (await Promise.all(sends)).map(({ id }) => id);
  await waitFor('all to be asked', async () => ofRound() === SUSPECTS);
  await first.kill();
  const second = await cluster.start();
  await waitFor('all to be asked again', async () => ofRound() === 2 * SUSPECTS, 60_000);
  await second.kill();
  return { ids, host: await cluster.start() };
}

/** How long a short turn takes, and one of the suspects alone. */
async function measureIdle(): Promise<{ idle: number; alone: number }> {
  const replica = await cluster.start();
  await timeOf(replica);
  const idle = await timeOf(replica);
  const begun = performance.now();
  await replica.ask('count 20 every 100');
  const alone = performance.now() - begun;
  await replica.kill();
  return { idle, alone };
}

async function timeOf(replica: Replica): Promise<number> {
  const begun = performance.now();
  expect((await replica.ask('say innocent')).status).toBe('completed');
  return performance.now() - begun;
}

async function unended(): Promise<number> {
  return (await query(cluster, 'select from turns where ended_at is null')).length;
}
