import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { startLoad } from './load.ts';
import { query } from './query.ts';
import { STATEMENTS } from './statements.ts';

let cluster: Cluster;

beforeEach(async () => {
  cluster = await startCluster();
});

afterEach(() => cluster.close());

const WRITES = [STATEMENTS.append, STATEMENTS.settle];

test('when answers to writes are lost, every model call is still counted exactly once', async () => {
  await cluster.start();
  const load = startLoad(cluster);
  for (let round = 0; round < rounds(2, 20); round++)
    for (const words of WRITES) {
      await load.hear(4);
      await cluster.proxy.loseAnswerTo(words);
    }
  await load.stop();

  expect(await load.findBreaches()).toEqual([]);
  const served = cluster.model.seen.length; // every call of this script completes with the same usage
  expect(await countUsage()).toEqual({ calls: served, input: 10 * served, output: 5 * served });
});

test('a cancelled call is counted with its streamed text', async () => {
  const replica = await cluster.start();
  const calls = 5;
  for (let call = 1; call <= calls; call++) {
    const { id } = await replica.ask(`call ${call} count 200 every 20`, { background: true });
    await waitFor('it to speak', async () => (await spoken()) === call);
    await replica.request(`/api/v1/responses/${id}/cancel`, { method: 'POST', body: '{}' });
  }
  await waitFor('all to end', async () => (await query(cluster, ENDED)).length === calls);

  const counted = await countUsage();
  expect(counted.calls).toBe(calls);
  expect(counted.input).toBeGreaterThan(calls);
  expect(counted.output).toBeGreaterThan(calls);
});

const ENDED = 'select id from turns where ended_at is not null';

/** How many turns have rows in the event log. */
async function spoken(): Promise<number> {
  return (await query(cluster, `select distinct turn_id from turn_events where events::text like '%deltas%'`)).length;
}

async function countUsage(): Promise<{ calls: number; input: number; output: number }> {
  const [row] = await query<{ calls: number; input: number; output: number }>(
    cluster,
    `select coalesce(sum(calls), 0)::integer as calls, coalesce(sum(input_tokens), 0)::integer as input,
       coalesce(sum(output_tokens), 0)::integer as output from usage_days`,
  );
  return row ?? { calls: 0, input: 0, output: 0 };
}
