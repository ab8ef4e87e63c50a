import { afterEach, beforeEach, expect, test } from 'vitest';
import { textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster } from './cluster.ts';

let cluster: Cluster;

beforeEach(async () => {
  // The wait after the first failure is long enough for a replica to be stopped in it.
  cluster = await startCluster({ env: { LLM_TRIES: '2', LLM_RETRY_SECS: '60' } });
});

afterEach(() => cluster.close());

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a replica that gets %s while a turn waits for its model leaves the turn to a peer',
  async (signal) => {
    const [leaving, peer] = await Promise.all([cluster.start(), cluster.start()]);
    const { id } = await leaving.ask('fail 1 times with 503, then\nsay recovered', { background: true });
    const runner = await waitFor('the model to be asked', async () => {
      const by = cluster.model.seen[0]?.by;
      return [leaving, peer].find(({ name }) => name === by);
    });
    const other = runner === leaving ? peer : leaving;
    const begun = performance.now();
    await runner.kill(signal);

    const response = await waitFor('the peer to answer', async () => {
      const found = await other.get(id);
      return found.status === 'completed' && found;
    });
    expect(textOf(response)).toBe('recovered');
    expect(performance.now() - begun).toBeLessThan(40_000);
    expect(cluster.model.seen.map(({ by }) => by)).toEqual([runner.name, other.name]);
  },
);
