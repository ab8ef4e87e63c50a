import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomMoment } from '../support/random-moment.ts';
import { followScript, isSummaryPrompt } from '../support/scripted-model.ts';
import { textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({
    script: {
      decide(prompt) {
        const answer = followScript(prompt);
        return isSummaryPrompt(prompt) ? { pieces: (answer.pieces ?? []).join('').split(/(?<= )/), pace: 40 } : answer;
      },
    },
  });
});

afterAll(() => cluster.close());

const ROUNDS = rounds(5, 50);

type Compacted = { id: string; output: object[] };

test(
  'a compaction whose replica is killed is made once, and a repeated request gets it from another replica',
  async () => {
    const spare = await cluster.start();
    let early = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const victim = await cluster.start();
      const fact = `fact: number ${round} is ${Math.random()} and here are some more words to write`;
      const send = (replica: Replica) => compact(replica, `round-${round}`, fact);
      const first = send(victim);
      await randomMoment(1200);
      await victim.kill();
      const answered = await first;
      if (answered) early++;

      const again = await waitFor('the compaction', () => send(spare), 60_000);

      expect(again).toEqual(answered ?? again);
      expect(await send(spare)).toEqual(again);
      const recited = textOf(await spare.ask([...again.output, { role: 'user', content: 'recite' }]));
      expect(recited.split(fact)).toHaveLength(2);
      expect(await madeIn(round + 1)).toEqual([{ turns: round + 1, made: round + 1 }]);
    }
    await addFigures(
      '`kill -9` of the replica that compacts a conversation, at a random moment',
      ROUNDS,
      `${early} answered before the kill, every compaction made once`,
    );
  },
  60_000 + ROUNDS * 20_000,
);

/** undefined when the connection was cut. */
async function compact(replica: Replica, key: string, fact: string): Promise<Compacted | undefined> {
  const body = JSON.stringify({ model: 'm', input: [{ role: 'user', content: `hello\n${fact}` }] });
  const headers = { 'idempotency-key': key };
  try {
    const response = await replica.request('/v1/responses/compact', { method: 'POST', body, headers });
    expect(response.status).toBe(200);
    return (await response.json()) as Compacted;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the error of fetch for a cut connection
    return undefined;
  }
}

/** The compactions so far, and the items that they made. */
const madeIn = (most: number) =>
  query<{ turns: number; made: number }>(
    cluster,
    `select count(distinct turns.id)::int as turns, count(items.id)::int as made
     from turns left join items on items.turn_id = turns.id and items.attempt is not null
     where turns.request ->> 'task' = 'compaction' and turns.seq = 1 having count(*) <= ${most}`,
  );
