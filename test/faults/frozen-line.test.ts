import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ENGINE_TIMES } from '#engine/engine-times.ts';
import { followScript } from '../support/scripted-model.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, rounds, startCluster, turnIdOf } from './cluster.ts';
import { addFigures } from './figures.ts';
import { wakeAll } from './harms.ts';
import { findBreaches } from './ledger.ts';
import { query } from './query.ts';
import { STATEMENTS } from './statements.ts';
import type { Proxy } from './tcp-proxy.ts';

let cluster: Cluster;
let survivor: Replica;

beforeEach(async () => {
  // A long turn never ends on the replicas that freeze, and takes no time on the one that takes over.
  cluster = await startCluster({
    times: ENGINE_TIMES,
    script: {
      decide: (prompt) =>
        prompt.by !== survivor.name && prompt.messages.at(-1)?.text.startsWith('long')
          ? { hang: true }
          : followScript(prompt),
    },
  });
  survivor = await cluster.start();
});

afterEach(() => cluster.close());

const ROUNDS = rounds(1, 20);
const TAKEOVER_MS = 22_000;
const INNOCENT_MS = 2000;

/** The statement that freezes a replica's connection, and the request that causes it. Without a cause the replica runs it by itself. */
const FREEZES: Freeze[] = [
  { at: 'accept', words: STATEMENTS.accept, cause: (replica) => replica.post({ input: 'say new', background: true }) },
  {
    at: 'append',
    words: STATEMENTS.append,
    cause: (replica) => replica.ask(`use mark_again {"ledger":"${cluster.ledger.url}"}`, { background: true }),
  },
  {
    at: 'settle',
    words: STATEMENTS.settle,
    cause: async (replica) => {
      const { id } = await replica.ask('count 5 every 100', { background: true });
      return replica.ask('say behind it', { background: true, previous_response_id: id });
    },
  },
  { at: 'claim', words: STATEMENTS.claim, cause: () => wakeAll(cluster) },
  { at: 'beat', words: STATEMENTS.beat },
  {
    at: 'change of a thread',
    words: /update "threads" set/, // the statement that holds a lock, in a transaction
    cause: (replica, id) =>
      replica.request(`/api/threads/${threadIdOf(id)}`, { method: 'PATCH', body: '{"title":"frozen"}' }),
  },
];

type Freeze = {
  readonly at: string;
  readonly words: RegExp;
  readonly cause?: (replica: Replica, longId: string) => Promise<unknown>;
};

test.each((['after', 'before'] as const).slice(0, rounds(1, 2)))(
  'replicas whose connections freeze %s a write: peers continue, and take their turns within 22 s',
  async (when) => {
    const takeovers: number[] = [];
    const innocents: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const victims: Victim[] = [];
      for (const place of FREEZES) victims.push(await prepare(place));
      const idle = await askInnocents(1000);
      const times = await Promise.all(victims.map((victim) => freeze(victim, when)));
      const frozen = await askInnocents(0, () => victims.every(({ long }) => askedBySurvivor(long) !== undefined));

      takeovers.push(...victims.map(({ long }, index) => (askedBySurvivor(long) ?? Infinity) - (times[index] ?? 0)));
      innocents.push(...frozen);
      expect(Math.max(...frozen)).toBeLessThan(Math.max(INNOCENT_MS, 3 * Math.max(...idle)));
      await Promise.all(victims.map(recover));
      expect(await findBreaches(cluster.connection, { accepted: victims.flatMap(({ accepted }) => accepted) })).toEqual(
        [],
      );
    }
    const longest = (values: readonly number[]) => `${(Math.max(...values) / 1000).toFixed(1)} s`;
    await addFigures(
      `lines of ${FREEZES.length} replicas frozen ${when} ${FREEZES.map(({ at }) => at).join(', ')}`,
      ROUNDS,
      `taken over after at most ${longest(takeovers)}; ${innocents.length} other turns took at most ${longest(innocents)}`,
    );
    expect(Math.max(...takeovers)).toBeLessThan(TAKEOVER_MS);
  },
  120_000 + ROUNDS * 90_000,
);

type Victim = Awaited<ReturnType<typeof prepare>>;

let asked = 0;

/** A replica behind a separate proxy, which runs one long turn with another waiting behind it. */
async function prepare({ words, cause }: Freeze) {
  const line: Proxy = await cluster.startLine();
  const replica = await cluster.start(line);
  const long = `long ${++asked}`;
  const { id } = await replica.ask(long, { background: true });
  await waitFor('the turn to run', async () => cluster.model.seen.some((prompt) => isOf(prompt, long)));
  return { words, cause, line, replica, long, id, accepted: [turnIdOf(id)] };
}

/** Freezes the connection and sends another message for the same thread to the peer. Returns when it froze. */
async function freeze(
  { words, cause, line, replica, id, accepted }: Victim,
  when: 'before' | 'after',
): Promise<number> {
  const frozen = line.freezeAt(words, when);
  void cause?.(replica, id).catch(() => {}); // its outcome is unknown
  await frozen;
  const time = performance.now();
  const next = await survivor.ask('say next', { background: true, previous_response_id: id });
  accepted.push(turnIdOf(next.id));
  return time;
}

/** How long turns on other threads take, one after another. */
async function askInnocents(atLeast: number, isEnough = () => true): Promise<number[]> {
  const taken: number[] = [];
  const begun = performance.now();
  for (let now = begun; now - begun < atLeast || !isEnough(); now = performance.now()) {
    if (now - begun > 2 * TAKEOVER_MS) break;
    await survivor.ask('say innocent');
    taken.push(performance.now() - now);
    await sleep(100);
  }
  return taken;
}

const isOf = ({ messages }: { messages: readonly { text: string }[] }, text: string) => messages.at(-1)?.text === text;

const askedBySurvivor = (text: string): number | undefined =>
  cluster.model.seen.find((prompt) => prompt.by === survivor.name && isOf(prompt, text))?.at;

/** The connection comes back: the replica finds that others have its turns, works again, and is then stopped. */
async function recover({ line, replica }: Victim): Promise<void> {
  line.thaw();
  await waitFor('the replica to work again', async () => (await replica.request('/readyz')).status === 200);
  await waitFor('its turns to end', async () => (await query(cluster, UNENDED)).length === 0);
  expect((await replica.ask('say back')).status).toBe('completed');
  await replica.kill('SIGTERM');
}

const threadIdOf = (responseId: string) => turnIdOf(`resp_${responseId.slice(-32)}`);

const UNENDED = 'select id from turns where ended_at is null';
