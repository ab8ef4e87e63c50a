import { afterEach, expect, test } from 'vitest';
import { type Answer, followScript, type SeenPrompt } from '../support/scripted-model.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';
import { startLoad } from './load.ts';
import { hasPrograms, startPair } from './postgres-pair.ts';
import { query } from './query.ts';

const started: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of started.splice(0).toReversed()) await part.close();
});

const ROUNDS = rounds(1, 20);

test.skipIf(!hasPrograms)(
  'a standby promoted while it is behind: no gap, no attempt with two runners, and every thread continues',
  async () => {
    let turns = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const seen = await failOverOnce();
      expect(seen.breaches).toEqual([]);
      expect(seen.twoRunners).toEqual([]);
      expect(seen.failed).toEqual([]);
      expect(seen.stuck).toEqual([]);
      turns += seen.turns;
      for (const part of started.splice(0).toReversed()) await part.close();
    }
    await addFigures('a standby promoted that lost the newest commits', ROUNDS, `${turns} turns, 0 breaches`);
  },
  120_000 + ROUNDS * 90_000,
);

async function failOverOnce() {
  const pair = await startPair();
  started.push(pair);
  const cluster = await startCluster({ server: pair.primary, script: { decide: signed } });
  started.push(cluster);
  const host = await cluster.start();
  const [victim] = await Promise.all([cluster.start(), cluster.start()]);
  hangs.add(victim.name);
  const load = startLoad(cluster, { replicas: () => [...cluster.replicas].filter((replica) => replica !== victim) });
  await load.hear();

  // The standby has these turns, but not what they do from now on.
  await host.ask(`gap\nuse mark_again {"ledger":"${cluster.ledger.url}","pause":4000}`, { background: true });
  await victim.ask('claimed count 40 every 100', { background: true });
  await waitFor('it to run', async () => promptsOf(cluster, 'claimed').length === 1);
  await pair.catchUp();
  pair.fallBehind();
  await waitFor('a call to be made', async () => cluster.ledger.marks.some(({ name }) => name === 'mark_again'));
  await victim.kill();
  await waitFor('the turn to be taken over', async () => promptsOf(cluster, 'claimed').length === 2);
  hangs.clear();
  cluster.proxy.break();
  await pair.failOver();
  cluster.proxy.repair(pair.standby);

  await load.hear();
  await load.stop();
  const threads = await query<{ id: string }>(cluster, NEWEST);
  expect(threads.length).toBeGreaterThan(0);
  return {
    turns: load.accepted.length,
    breaches: await load.findBreaches({ lostCommits: true, lostLog: true, deaths: true }),
    twoRunners: await query(cluster, TWO_RUNNERS),
    failed: await query(cluster, FAILED),
    stuck: (await Promise.all(threads.map(({ id }) => goOn(host, id)))).filter((status) => status !== 'completed'),
  };
}

const promptsOf = (cluster: Cluster, word: string) =>
  cluster.model.seen.filter(({ messages }) => messages.at(-1)?.text.startsWith(word));

/** Replicas whose turns don't end before they are killed. */
const hangs = new Set<string>();

/** The model's text names the replica that asked, so that items show which replica wrote them. */
function signed(prompt: SeenPrompt): Answer {
  if (hangs.has(prompt.by)) return { hang: true };
  const { pieces = [], calls = [], ...answer } = followScript(prompt);
  const isGap = calls.length > 0 && prompt.messages.at(-1)?.text.startsWith('gap');
  const slow = isGap ? Array.from({ length: 20 }, () => 'so ') : [];
  return {
    pace: isGap ? 100 : 0,
    ...answer,
    pieces: [`${prompt.by} `, ...slow, ...pieces],
    calls: calls.map((call) => ({ ...call, arguments: call.arguments.replace('{', `{"by":"${prompt.by}",`) })),
  };
}

const TWO_RUNNERS = `
  select turn_id, attempt from items where attempt is not null group by turn_id, attempt
  having count(distinct substring(body::text from 'replica-\\d+')) > 1`;

/** Continuing a response that the failover lost gives a clear error and nothing else. */
const FAILED = `
  select failure from turns where status = 'failed' and failure ->> 'code' <> 'previous_response_not_found'`;

/** The response ids of each thread's last turn. */
const NEWEST = `
  select distinct on (thread_id) 'resp_' || replace(id::text, '-', '') || replace(thread_id::text, '-', '') as id
  from turns order by thread_id, seq desc`;

async function goOn(replica: Replica, previous: string): Promise<string> {
  return (await replica.ask('say on', { previous_response_id: previous })).status;
}
