import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENT_RUN } from '#domain/delegation/delegation.ts';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import { formatResponseId } from '#http/response-id.ts';
import { randomMoment } from '../support/random-moment.ts';
import { waitFor } from '../support/wait-for.ts';
import { ENDS_OF_CHILDREN, MISCOUNTED_OUTPUTS } from './children.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';
import { signalPostmaster } from './harms.ts';
import { pick } from './load.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ env: { AGENT_DEPTH: '3', AGENT_CHILDREN_AT_ONCE: '10' } });
});

afterAll(() => cluster.close());

const RUNS = rounds(12, 1250);
const KILLS = rounds(2, 300);
const RESTARTS = rounds(0, 20);
/** Children of a run, one of which has two of its own: eight delegations. */
const DELEGATIONS = RUNS * 8;
const LANES = 6;
const CANCELS = rounds(2, 100);

const use = (task: string) => `use ${AGENT_RUN} ${JSON.stringify({ task })}`;
const work = `use mark_once {"ledger":"LEDGER","pause":30}`;

test(
  'delegations under kills each have one row, one outcome and one output, and the sums of the trees are what was used',
  async () => {
    await Promise.all([cluster.start(), cluster.start(), cluster.start()]);
    let begun = 0;
    let wanted = 0; // grows with the kills, so that each of them meets runs at work
    const accepted: string[] = [];
    const lanes = Array.from({ length: LANES }, async () => {
      while (begun < RUNS) {
        const number = ++begun;
        await waitFor('a run to be wanted', async () => number <= wanted, 300_000);
        accepted.push(await send(number));
      }
    });
    const count = async () => {
      const counting = query<{ n: number }>(cluster, `select count(*)::integer as n from delegations`);
      return (await counting.catch(() => []))[0]?.n ?? 0; // PostgreSQL may be about to start again
    };
    for (let kill = 0; kill < KILLS; kill++) {
      wanted = (RUNS * (kill + 2)) / KILLS;
      await waitFor('more delegations', async () => (await count()) >= (DELEGATIONS * kill) / KILLS, 120_000);
      await randomMoment(300);
      await pick([...cluster.replicas])?.kill();
      await cluster.start();
      if (kill % 25 === 24) console.log(`${kill + 1} kills, ${await count()} delegations`);
      if (RESTARTS > 0 && kill % Math.ceil(KILLS / RESTARTS) === 1) await signalPostmaster(cluster, 'SIGINT');
    }
    await Promise.all(lanes);
    const open = `select from turns where status in ('queued', 'running') limit 1`;
    await waitFor('all runs to end', async () => (await query(cluster, open)).length === 0, 240_000);

    const ends = await query<{ state: string; outcome: string; delivered: boolean; n: number }>(
      cluster,
      ENDS_OF_CHILDREN,
    );
    console.log(JSON.stringify(ends));
    expect(ends.filter(({ state }) => state !== 'ended')).toEqual([]);
    // A turn that loses its host again and again is given up, with all that it was to start.
    const interrupted = (await query(cluster, `select id from turns where failure ->> 'code' = 'interrupted'`)).length;
    expect(interrupted).toBeLessThanOrEqual(KILLS / 30);
    const whole = ends.find(({ outcome, delivered }) => outcome === 'completed' && delivered)?.n ?? 0;
    expect(whole).toBeGreaterThanOrEqual(DELEGATIONS - 8 * interrupted);
    expect(await query(cluster, MISCOUNTED_OUTPUTS)).toEqual([]);
    const roots = `select id from turns where id = any($1::uuid[]) and status = 'completed'`;
    expect(accepted).toHaveLength(RUNS);
    expect((await query(cluster, roots, [accepted])).length).toBeGreaterThanOrEqual(RUNS - interrupted);
    const [sums] = await query<{ trees: number; turns: number }>(cluster, SUMS);
    expect(sums?.trees).toBe(sums?.turns);
    await addFigures(
      'runs with children and grandchildren, three replicas, `kill -9` of a random one',
      KILLS,
      `${whole} delegations, each with one outcome and one output, ${interrupted} turns given up, ${RESTARTS} restarts of PostgreSQL`,
    );
  },
  300_000 + KILLS * 20_000,
);

test(
  'a tree of fifty that is cancelled while it grows stops whole: calls, gates and what was about to start',
  async () => {
    await cluster.forget();
    await query(cluster, `insert into settings (name, value) values ('tool_policy:mark_again', '{"level":"ask"}')`);
    while (cluster.replicas.size < 2) await cluster.start();
    const took: number[] = [];
    for (let round = 1; round <= CANCELS; round++) {
      const turn = await sendMessage(`tree ${round}`, treeOfFifty(round));
      // The first tree is cancelled when it is whole, later ones at any size.
      const size = round === 1 ? 50 : 1 + Math.floor(Math.random() * 50);
      await waitFor(`${size} subagents`, async () => (await treeOf(turn)).length >= size, 60_000);
      if (round === 1) await waitFor('two gates', async () => (await query(cluster, OPEN_GATES)).length === 2, 60_000);
      const began = performance.now();
      await cancel(turn);
      await waitFor('the tree to end', async () => (await query(cluster, UNENDED)).length === 0, 60_000);
      took.push(performance.now() - began);
      if (round % 10 === 0) console.log(`${round} trees cancelled`);
      expect(new Set((await treeOf(turn)).map(({ state }) => state))).toEqual(new Set(['ended']));
      expect(await query(cluster, OPEN_GATES)).toEqual([]);
    }
    expect(cluster.ledger.marks.filter(({ name }) => name === 'mark_again')).toEqual([]); // nobody has approved one
    expect(await query(cluster, FINISHED_CALLS)).toEqual([]);
    await query(cluster, `delete from settings where name = 'tool_policy:mark_again'`);
    const p95 = took.toSorted((one, other) => one - other)[Math.ceil(took.length * 0.95) - 1] ?? 0;
    await addFigures('a tree of up to 50 subagents, cancelled while it grows', CANCELS, `all ended: p95 ${p95 | 0} ms`);
  },
  120_000 + CANCELS * 20_000,
);

/** Three subagents with five each that have two each, and two that ask; those at the end have calls that last a minute. */
function treeOfFifty(round: number): string {
  const call = (name: string) => `use ${name} {"ledger":"${cluster.ledger.url}","pause":60000}`;
  const leaf = use(call('mark_once'));
  const below = use(`below\n${leaf}\n${leaf}`);
  const middle = use(['middle', ...Array.from({ length: 5 }, () => below)].join('\n'));
  const asker = use(call('mark_again'));
  return [`#${round}`, middle, middle, middle, asker, asker].join('\n');
}

const treeOf = (root: string) =>
  query<{ state: string }>(cluster, 'select state from delegations where tree = $1', [root]);

const OPEN_GATES = 'select id from gates where answered_at is null';
const UNENDED = `
  select id from turns where status in ('queued', 'running') union all ${OPEN_GATES}
  union all select call from delegations where state <> 'ended'`;

const FINISHED_CALLS = `select id from items where body ->> 'type' = 'function_call_output' and body::text like '%marked%'`;

/** Cancels a run on any replica. */
async function cancel(turn: string): Promise<void> {
  const [found] = await query<{ thread: string }>(cluster, 'select thread_id as thread from turns where id = $1', [
    turn,
  ]);
  const id = formatResponseId({ threadId: found?.thread as ThreadId, turnId: turn as TurnId });
  await waitFor('the answer to the cancellation', async () => {
    const asked = pick([...cluster.replicas])?.request(`/api/v1/responses/${id}/cancel`, { method: 'POST' });
    return (await asked?.catch(() => undefined))?.ok;
  });
}

/** Sends a request again until it was answered. Its key makes it the same turn. */
async function send(number: number): Promise<string> {
  const busy = work.replace('LEDGER', cluster.ledger.url);
  const message = [
    `#${number}`,
    use(`middle\n${use('say leaf')}\n${use(busy)}`),
    ...Array.from({ length: 5 }, (_, n) => use(n % 2 === 0 ? `say ${n}` : busy)),
  ].join('\n');
  return sendMessage(`delegations ${number}`, message);
}

function sendMessage(key: string, message: string): Promise<string> {
  return waitFor('the message to be accepted', async () => {
    const body = JSON.stringify({ message });
    const headers = { 'idempotency-key': key };
    const sending = pick([...cluster.replicas])?.request('/api/chat/send', { method: 'POST', body, headers });
    const response = await sending?.catch(() => undefined);
    return response?.ok ? ((await response.json()) as { turn_id: string }).turn_id : undefined;
  });
}

/** What the delegations of the roots say, and what the turns of all children have used. */
const SUMS = `
  select (select sum(tokens_used)::integer from delegations where run = tree) as trees,
    (select sum((usage ->> 'inputTokens')::integer + (usage ->> 'outputTokens')::integer)::integer
     from turns join threads on threads.id = thread_id where parent is not null) as turns`;
