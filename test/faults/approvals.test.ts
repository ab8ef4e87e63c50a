import { afterEach, beforeEach, expect, test } from 'vitest';
import { textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster, turnIdOf } from './cluster.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeEach(async () => {
  cluster = await startCluster();
});

afterEach(() => cluster.close());

test('killed while an approved call runs: the approval is used, and the call is not repeated', async () => {
  const victim = await cluster.start();
  await query(cluster, `insert into settings (name, value) values ('tool_policy:mark_once', '{"level":"ask"}')`);
  const asked = await victim.ask(`use mark_once {"pause":20000,"ledger":"${cluster.ledger.url}"}`);
  expect(asked.error?.code).toBe('approval_required');
  const [gate] = await query<{ id: string }>(cluster, 'select id from gates where turn_id = $1', [turnIdOf(asked.id)]);

  const answered = await victim.request(`/api/gates/${gate?.id}`, { method: 'POST', body: '{"answer":"approve"}' });
  const { response_id } = (await answered.json()) as { response_id: string };
  await waitFor('the call to be made', async () => cluster.ledger.marks.length === 1);
  await victim.kill();

  const survivor = await cluster.start();
  const done = await waitFor(
    'the turn to end',
    async () => {
      const response = await survivor.get(response_id);
      return response.status === 'completed' && response;
    },
    90_000,
  );
  expect(textOf(done)).toBe('result: interrupted: the outcome is unknown');
  expect(cluster.ledger.marks).toHaveLength(1);
});
