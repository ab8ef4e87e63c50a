import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, rounds, startCluster } from './cluster.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.close());

const THREADS = rounds(20, 500);
const KILLS = rounds(1, 8);

test(
  'killed while messages wait behind gates: each is in every later prompt once, after the output of the call before it',
  async () => {
    await query(cluster, `insert into settings (name, value) values ('tool_policy:mark_again', '{"level":"ask"}')`);
    await Promise.all([cluster.start(), cluster.start()]);
    const use = `use mark_again {"ledger":"${cluster.ledger.url}"}`;
    const scripts = Array.from({ length: THREADS }, (_, n) => [
      `thread ${n} begins\n${use}`,
      `thread ${n}\nsay one`,
      `thread ${n} goes on\n${use}`,
      `thread ${n}\nsay three`,
    ]);
    const threads = new Map<string, readonly string[]>();
    for (let first = 0; first < THREADS; first += AT_ONCE)
      await Promise.all(
        scripts.slice(first, first + AT_ONCE).map(async (script) => threads.set(await sendAll(script), script)),
      );

    for (let kill = 0; kill < KILLS; kill++) {
      await answerGates(Math.ceil((2 * THREADS * (kill + 1)) / (KILLS + 2)));
      const [victim] = cluster.replicas;
      const replacement = cluster.start();
      await victim?.kill();
      await replacement;
    }
    await answerGates(2 * THREADS);
    await waitFor('all turns to end', async () => (await openTurns()) === 0, 60_000 + THREADS * 500);

    expect(await query(cluster, `select failure from turns where status not in ('completed', 'waiting')`)).toEqual([]);
    for (const [threadId, script] of threads) {
      const [begins = '', one = '', goesOn = '', three = ''] = script;
      expect(await historyOf(threadId)).toEqual([begins, 'output', one, goesOn, 'output', three]);
      const prompts = cluster.model.seen.flatMap(({ messages }) =>
        messages.some(({ text }) => text === one) ? [messages] : [],
      );
      for (const messages of prompts) {
        const told = messages.filter(({ role }) => role === 'user' || role === 'tool');
        const whole = [begins, 'tool', one, goesOn, 'tool', three];
        expect(told.map(({ role, text }) => (role === 'tool' ? role : text))).toEqual(whole.slice(0, told.length));
      }
      expect(prompts.some((messages) => messages.at(-1)?.text === three)).toBe(true);
    }
  },
  180_000 + THREADS * 1500,
);

const AT_ONCE = 20;

const anyReplica = (): Replica => {
  const [replica] = [...cluster.replicas].toReversed();
  if (!replica) throw new Error('No replica runs.');
  return replica;
};

/** Sends messages to one thread, the first of which opens a gate, and returns the id of the thread. */
async function sendAll(script: readonly string[]): Promise<string> {
  let threadId: string | undefined;
  for (const message of script) {
    const body = JSON.stringify({ message, thread_id: threadId, when_busy: 'queue' });
    const response = await anyReplica().request('/api/chat/send', { method: 'POST', body });
    expect(response.status).toBe(202);
    threadId = ((await response.json()) as { thread_id: string }).thread_id;
  }
  return threadId ?? '';
}

/** Approves open gates until so many have been answered. */
async function answerGates(wanted: number): Promise<void> {
  await waitFor(
    `${wanted} gates to be answered`,
    async () => {
      const gates = await query<{ id: string; open: boolean }>(
        cluster,
        'select id, answered_at is null as open from gates',
      );
      const open = gates.filter((gate) => gate.open);
      if (gates.length - open.length >= wanted) return true;
      for (const { id } of open.slice(0, AT_ONCE)) {
        // A killed replica may have stored the answer, and the next round tells.
        await anyReplica()
          .request(`/api/gates/${id}`, { method: 'POST', body: '{"answer":"approve"}' })
          .catch(() => undefined);
      }
      return false;
    },
    60_000 + THREADS * 1000,
  );
}

async function openTurns(): Promise<number> {
  const [row] = await query<{ count: string }>(
    cluster,
    `select (select count(*) from turns where status in ('queued', 'running')) + (select count(*) from gates where answered_at is null) as count`,
  );
  return Number(row?.count);
}

/** The messages of the user and the outputs of calls, in the order of the thread. */
async function historyOf(threadId: string): Promise<string[]> {
  const items = await query<{ type: string; text: string }>(
    cluster,
    `select body ->> 'type' as type, body -> 'content' -> 0 ->> 'text' as text from items
     where thread_id = $1 and (body ->> 'role' = 'user' or body ->> 'type' = 'function_call_output') order by turn_seq, position`,
    [threadId],
  );
  return items.map(({ type, text }) => (type === 'message' ? text : 'output'));
}
