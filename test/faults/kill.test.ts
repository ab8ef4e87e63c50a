import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, rounds, startCluster, turnIdOf } from './cluster.ts';
import { findBreaches } from './ledger.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.close());

const ROUNDS = rounds(5, 500);
const MESSAGES_PER_THREAD = 40;

test(
  'kill -9 at random moments loses nothing, repeats nothing blindly and wedges no thread',
  async () => {
    await Promise.all([cluster.start(), cluster.start(), cluster.start()]);
    const accepted: string[] = [];
    const stop = new AbortController();
    const load = Array.from({ length: 16 }, () => talk(accepted, stop.signal));

    for (let round = 0; round < ROUNDS; round++) {
      await sleep(200 + Math.random() * 800); // a random moment, not a wait for something
      await pick([...cluster.replicas])?.kill();
      await cluster.start();
    }
    stop.abort();
    await Promise.all(load);
    await waitFor('all turns to end', async () => (await unended()) === 0, 90_000);

    expect(accepted.length).toBeGreaterThan(ROUNDS * 10);
    expect(await findBreaches(cluster.connection, accepted.map(turnIdOf))).toEqual([]);
    expect(repeated('mark_once')).toEqual([]);
    const failed = await query(cluster, `select failure from turns where status = 'failed'`);
    expect(failed).toEqual([]);
    console.log(`${ROUNDS} kills, ${accepted.length} accepted messages, ${cluster.ledger.marks.length} marks`);
  },
  120_000 + ROUNDS * 15_000,
);

/** One lane of conversations: message after message on one thread, to whichever replica answers, then on a new one. */
async function talk(accepted: string[], signal: AbortSignal): Promise<void> {
  let previous: string | undefined;
  for (let said = 0; !signal.aborted; said++) {
    if (said % MESSAGES_PER_THREAD === 0) previous = undefined;
    const replica = pick([...cluster.replicas]);
    const id = replica && (await send(replica, previous));
    if (id) {
      previous = id;
      accepted.push(id);
    }
    await sleep(Math.random() * 100);
  }
}

/** The id of the response if the message was accepted; undefined when nobody can say. */
async function send(replica: Replica, previous: string | undefined): Promise<string | undefined> {
  const script = pick([
    'say short',
    'count 10 every 20',
    `use mark_once {"ledger":"${cluster.ledger.url}","pause":50}`,
    `use mark_again {"ledger":"${cluster.ledger.url}","pause":50}\nuse mark_once {"ledger":"${cluster.ledger.url}"}`,
  ]);
  try {
    const response = await replica.post({ input: script, background: true, previous_response_id: previous });
    if (response.status === 409) return undefined; // enough wait on this thread already
    expect(response.status).toBe(200);
    return ((await response.json()) as { id: string }).id;
  } catch (error) {
    if (error instanceof TypeError) return undefined; // fetch's word for a line that was cut
    throw error;
  }
}

async function unended(): Promise<number> {
  const [row] = await query<{ count: string }>(cluster, 'select count(*) from turns where ended_at is null');
  return Number(row?.count);
}

function repeated(name: string): string[] {
  const keys = cluster.ledger.marks.filter((mark) => mark.name === name).map(({ key }) => key);
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}

function pick<T>(choices: readonly T[]): T | undefined {
  return choices[Math.floor(Math.random() * choices.length)];
}
