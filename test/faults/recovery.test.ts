import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { textOf, type WireResponse } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster, turnIdOf } from './cluster.ts';
import { findBreaches } from './ledger.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterEach(() => cluster.forget());

afterAll(() => cluster.close());

test.each([
  ['mark_once', 1, 'result: interrupted: the outcome is unknown'],
  ['mark_again', 2, 'result: marked'],
])('a call of %s that had started before a crash leaves %i mark(s)', async (tool, marks, answer) => {
  const [victim] = await cluster.pair();
  const { id } = await victim.ask(`use ${tool} {"ledger":"${cluster.ledger.url}","pause":1500}`, {
    background: true,
  });
  await waitFor('the tool to run', async () => cluster.ledger.marks.length === 1);
  await [...cluster.replicas].find(({ name }) => name === cluster.model.seen[0]?.by)?.kill();

  const done = await ended(id);
  expect(textOf(done)).toBe(answer);
  expect(cluster.ledger.marks).toHaveLength(marks);
});

test('a turn that kills its host fails as interrupted, other turns are spared, and its thread continues', async () => {
  await cluster.pair();
  const living = () => [...cluster.replicas][0];
  const starting: Promise<unknown>[] = [];
  cluster.model.hooks.onPrompt = ({ by, messages }) => {
    if (!messages.at(-1)?.text.includes('poison')) return;
    const host = [...cluster.replicas].find(({ name }) => name === by);
    void host?.kill();
    starting.push(cluster.start());
  };
  const neighbour = await living()?.ask('count 30 every 100', { background: true });
  const poison = await living()?.ask('poison hang', { background: true });

  const failed = await ended(poison?.id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
  expect(cluster.model.seen.filter(({ messages }) => messages.at(-1)?.text.includes('poison'))).toHaveLength(3);
  expect(await ended(neighbour?.id)).toMatchObject({ status: 'completed' });

  const next = await living()?.ask('say on we go', { previous_response_id: poison?.id });
  expect(next && textOf(next)).toBe('on we go');
  await Promise.all(starting);
  expect(await findBreaches(cluster.connection, { accepted: [turnIdOf(poison?.id ?? '')], deaths: true })).toEqual([]);
});

/** The response after its turn has ended, from any running replica. */
function ended(id = ''): Promise<WireResponse> {
  return waitFor(
    'the turn to end',
    async () => {
      const [replica] = cluster.replicas;
      const response = await replica?.get(id).catch(() => undefined);
      return response && !['queued', 'in_progress'].includes(response.status) && response;
    },
    90_000,
  );
}
