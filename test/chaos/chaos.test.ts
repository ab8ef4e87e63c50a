import { expect, test } from 'vitest';
import { type Replica, startCluster } from '../faults/cluster.ts';
import { insist } from '../faults/harms.ts';
import { query } from '../faults/query.ts';
import { drawChart } from './chart.ts';
import { startAnswering } from './gates.ts';
import { runChaos } from './run-chaos.ts';
import { FAULTS, planFaults } from './schedule.ts';

const plan = { seed: 7, ms: 600_000, slots: 3, hasStandby: true };

test('a seed always gives the same schedule, which has every fault and one failover', () => {
  const planned = planFaults(plan);
  expect(planFaults(plan)).toEqual(planned);
  expect(planFaults({ ...plan, seed: 8 })).not.toEqual(planned);
  const names = planned.map(({ fault }) => fault);
  expect(new Set(names)).toEqual(new Set(Object.keys(FAULTS)));
  expect(names.filter((name) => name === 'failover')).toHaveLength(1);
  expect(new Set(planned.map(({ slot }) => slot))).toEqual(new Set([0, 1, 2]));
});

test('the end of a fault is tried until it works, and the last error is kept', async () => {
  let tries = 0;
  const act = async () => {
    if (++tries < 3) throw new Error('too many connections');
  };
  await insist(act);
  expect(tries).toBe(3);
  await expect(insist(() => Promise.reject(new Error('refused')), 0)).rejects.toThrow('refused');
});

test('every gate is answered, although some answers are lost, and a gate that stays open is found', async () => {
  await using undo = new AsyncDisposableStack();
  const cluster = await startCluster();
  undo.defer(() => cluster.close());
  await query(cluster, `insert into settings (name, value) values ('tool_policy:mark_again', '{"level":"ask"}')`);
  const replica = await cluster.start();
  const gone: Replica = { ...replica, request: () => Promise.reject(new TypeError('fetch failed')) };
  const away: Replica = { ...replica, request: async () => new Response('Try again later.', { status: 503 }) };
  const use = `use mark_again {"ledger":"${cluster.ledger.url}"}`;
  const first = await replica.ask(`${use}\n${use}`, { background: true });
  await replica.ask('say later', { background: true, previous_response_id: first.id });

  const answering = startAnswering({ connection: cluster.connection, replicas: new Set([replica, gone, away]) });
  await answering.stop();
  expect(await query(cluster, 'select status from turns order by seq')).toEqual(
    ['waiting', 'completed', 'completed'].map((status) => ({ status })), // one card for both calls
  );
  expect(await answering.findBreaches()).toEqual([]);

  const [gate] = await query<{ id: string }>(
    cluster,
    'update gates set answered_at = null where turn_seq = 1 returning id',
  );
  expect(await answering.findBreaches()).toContain(`a gate is open at the end: ${gate?.id}`);
}, 120_000);

test('twenty seconds of faults at random: no turn is lost, doubled, mixed with another or stuck', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  console.log(`Repeat with: npm run chaos -- 20s ${seed}`);
  const report = await runChaos({ seed, ms: 20_000 });

  expect(report.breaches).toEqual([]);
  expect(report.turns).toBeGreaterThan(10);
  expect(report.faults.filter(({ outcome }) => outcome === 'done').length).toBeGreaterThan(3);
  expect(report.samples.some(({ memory }) => memory.every(({ mb }) => (mb ?? 0) > 10))).toBe(true);
  expect(drawChart(report)).toContain(`Seed ${seed}: 20 s`);
}, 300_000);
