import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENT_RUN } from '#domain/delegation/delegation.ts';
import { randomMoment } from '../support/random-moment.ts';
import { hasSource, RELEASES } from '../support/released-source.ts';
import { textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { ENDS_OF_CHILDREN, MISCOUNTED_OUTPUTS } from './children.ts';
import { type Cluster, type Replica, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';
import { findBreaches } from './ledger.ts';
import { pick } from './load.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.close());

const MESSAGES = rounds(40, 1000);
const KILLS = rounds(2, 200);
const LANES = 8;
/** Of a thread: another one begins after so many messages, so that prompts stay small. */
const PER_THREAD = 12;

type Sent = { readonly thread_id: string; readonly turn_id: string; readonly response_id: string };

test(
  'messages that steer under kills of three replicas are each read once and in order, and none is refused',
  async () => {
    await Promise.all([cluster.start(), cluster.start(), cluster.start()]);
    const load = startSteering();
    for (let kill = 0; kill < KILLS; kill++) {
      const enough = Math.floor((MESSAGES * (kill + 1)) / (KILLS + 1));
      await waitFor('more messages', async () => load.steering() >= enough || load.failed(), 120_000);
      await randomMoment(300);
      await pick([...cluster.replicas])?.kill();
      await cluster.start();
    }
    await load.ended;
    await waitFor('all turns to end', async () => (await countOpen()) === 0, 120_000);

    const turns = await query<Ended>(cluster, ENDED);
    const ends = new Map(turns.map((turn) => [turn.id, turn]));
    expect(load.accepted.map(({ turn_id: id }) => ends.get(id)?.status).filter((status) => !status)).toEqual([]);
    const unexpected = turns.filter((turn) => !isExpected(turn, load.cancelled));
    expect(unexpected).toEqual([]);
    expect(findMisread(turns)).toEqual([]);

    const steered = turns.filter(({ steeredBy }) => steeredBy !== null).length;
    const breaches = await findBreaches(cluster.connection, {
      accepted: load.accepted.map(({ turn_id: id }) => id),
      marks: cluster.ledger.marks,
      deaths: true,
    });
    await addFigures(
      'messages that steer, three replicas, `kill -9` of a random one, repeated and cancelled requests',
      KILLS,
      `${load.steering()} messages that steer, ${steered} turns steered, ${breaches.length} breaches`,
    );
    expect(breaches).toEqual([]);
    expect(steered).toBeGreaterThan(MESSAGES / 8);
  },
  240_000 + KILLS * 15_000,
);

const released = RELEASES.at(-1);
const CONVERSATIONS = 12;
const PARENTS = 4;

test.runIf(released && hasSource(released))(
  'beside a replica of the last release, messages to both are each read once, and each child has one outcome and one output',
  async () => {
    if (!released) return;
    await cluster.forget();
    const [now = await cluster.start(), ...others] = cluster.replicas;
    await Promise.all(others.map((replica) => replica.kill()));
    const before = await cluster.startReleased(released);

    const said = await Promise.all(
      Array.from({ length: CONVERSATIONS }, (_, n) => correct(n, n % 2 === 0 ? [now, before] : [before, now])),
    );
    await waitFor('all turns to end', async () => (await countOpen()) === 0);
    const turns = await query<Ended>(cluster, ENDED);
    expect(turns.map(({ id }) => id).toSorted()).toEqual(said.flat().toSorted());
    expect(turns.filter((turn) => !isExpected(turn, new Set()))).toEqual([]);
    expect(turns.some(({ steeredBy }) => steeredBy !== null)).toBe(true);
    expect(findMisread(turns)).toEqual([]);

    await query(cluster, `insert into settings (name, value) values ('tool_policy:mark_again', '{"level":"ask"}')`);
    const parents = await Promise.all(Array.from({ length: PARENTS }, (_, n) => delegate(now, n)));
    const late = await Promise.all(
      parents.map((parent, n) =>
        sendTo(n % 2 === 0 ? now : before, { message: `say late ${n}`, thread_id: parent.thread_id }),
      ),
    );
    const gates = await waitFor('a gate of each tree', () => listGates(before, PARENTS));
    await waitFor('all parents to be parked', async () => (await query(cluster, PARKED)).length === PARENTS);
    await now.kill();
    await Promise.all(gates.slice(1).map((gate) => approve(before, gate)));
    expect(textOf(await before.ask('say alone'))).toBe('alone');
    expect((await query(cluster, PARKED)).length).toBe(PARENTS); // what it doesn't know, it leaves

    const next = await cluster.start();
    await Promise.all(gates.slice(0, 1).map((gate) => approve(next, gate)));
    await waitFor('all turns to end', async () => (await countOpen()) === 0);
    expect(await query(cluster, ENDS_OF_CHILDREN)).toEqual([
      { state: 'ended', outcome: 'completed', delivered: true, n: 2 * PARENTS },
    ]);
    expect(await query(cluster, MISCOUNTED_OUTPUTS)).toEqual([]);
    const accepted = [...parents, ...late].map(({ turn_id: id }) => id);
    const ends = `select status, count(*)::integer as n from turns where id = any($1::uuid[]) group by 1`;
    expect(await query(cluster, ends, [accepted])).toEqual([{ status: 'completed', n: 2 * PARENTS }]);
    const account = { accepted: [...said.flat(), ...accepted], marks: cluster.ledger.marks, deaths: true };
    expect(await findBreaches(cluster.connection, account)).toEqual([]);
  },
  180_000,
);

/** Starts work on one replica, and corrects it on both while it runs. */
async function correct(n: number, [first, second]: readonly [Replica, Replica]): Promise<string[]> {
  const begun = await sendTo(first, { message: `#${n}0\n${workOf(4)}` });
  const sent = [begun];
  for (const [index, replica] of [second, first, second].entries()) {
    await randomMoment(150);
    const when_busy = index === 2 ? 'now' : 'steer'; // the release before takes no notice of it
    const message = `#${n}${index + 1}\n${workOf(1)}`;
    sent.push(await sendTo(replica, { message, thread_id: begun.thread_id, when_busy }));
  }
  return sent.map(({ turn_id: id }) => id);
}

/** A run with two children, one of which waits for an approval. */
function delegate(replica: Replica, n: number): Promise<Sent> {
  const gated = `use mark_again {"ledger":"${cluster.ledger.url}"}`;
  const calls = [`say leaf ${n}`, gated].map((task) => `use ${AGENT_RUN} ${JSON.stringify({ task })}`);
  return sendTo(replica, { message: calls.join('\n') });
}

async function sendTo(replica: Replica, body: object): Promise<Sent> {
  const response = await replica.request('/api/chat/send', { method: 'POST', body: JSON.stringify(body) });
  if (response.status !== 202) throw new Error(`Refused: ${response.status} ${await response.text()}`);
  return (await response.json()) as Sent;
}

async function listGates(replica: Replica, count: number): Promise<readonly string[] | undefined> {
  const { gates } = (await (await replica.request('/api/gates')).json()) as { gates: { id: string }[] };
  return gates.length === count ? gates.map(({ id }) => id) : undefined;
}

async function approve(replica: Replica, gate: string): Promise<void> {
  const body = JSON.stringify({ answer: 'approve' });
  const response = await replica.request(`/api/gates/${gate}`, { method: 'POST', body });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
}

const PARKED = `select id from turns where status = 'running' and runner is null and ready_at = 'infinity'`;

type Ended = {
  readonly id: string;
  readonly threadId: string;
  readonly status: string;
  readonly steeredBy: string | null;
  readonly said: string;
};

const ENDED = `
  select turns.id, turns.thread_id as "threadId", status, steered_by as "steeredBy", body #>> '{content,0,text}' as said
  from turns join items on items.thread_id = turns.thread_id and items.turn_seq = turns.seq and items.position = 0
  order by turns.thread_id, turns.seq`;

const isExpected = ({ id, status, steeredBy }: Ended, cancelled: ReadonlySet<string>): boolean =>
  status === 'completed' ||
  (status === 'incomplete' && steeredBy !== null) ||
  (status === 'cancelled' && cancelled.has(id));

/**
 * Of each thread, the prompts that ended with its last message hold each message that was not cancelled once, in order; and the model
 * was asked about every message whose turn has completed.
 */
function findMisread(turns: readonly Ended[]): string[] {
  const prompts = cluster.model.seen.map(({ messages }) =>
    messages.flatMap(({ role, text }) => (role === 'user' ? text : [])),
  );
  const misread: string[] = [];
  for (const [threadId, all] of Map.groupBy(turns, (turn) => turn.threadId)) {
    const said = all.flatMap((turn) => (turn.status === 'cancelled' ? [] : turn.said));
    for (const prompt of prompts.filter((each) => each.includes(said[0] ?? ''))) {
      const known = prompt.filter((text) => said.includes(text));
      if (String(known) !== String(said.slice(0, known.length))) misread.push(`${threadId}: ${String(known)}`);
    }
    for (const { status, said: asked } of all)
      if (status === 'completed' && !prompts.some((prompt) => prompt.at(-1) === asked))
        misread.push(`unread: ${asked}`);
  }
  return misread;
}

/** Lanes of people who start work on a thread and correct it, with requests that are repeated when their answer is lost. */
function startSteering() {
  const accepted: Sent[] = [];
  const cancelled = new Set<string>();
  let numbers = 0;
  let steering = 0;
  let failure: unknown;
  async function send(message: string, more: object): Promise<Sent> {
    const key = `steering ${message.split('\n', 1)[0]}`;
    const body = JSON.stringify({ message, when_busy: 'preferred', ...more });
    const headers = { 'idempotency-key': key };
    const sent = await waitFor('the message to be accepted', async () => {
      const impatient = Math.random() < 0.1 ? AbortSignal.timeout(Math.floor(Math.random() * 20)) : undefined;
      const response = await postTo(body, headers, impatient);
      if (!response || response.status >= 500) return undefined;
      if (response.status !== 202) throw new Error(`Refused: ${response.status} ${await response.text()}`);
      return (await response.json()) as Sent;
    });
    accepted.push(sent);
    return sent;
  }

  /** Undefined when no answer came. */
  async function postTo(body: string, headers: Record<string, string>, signal?: AbortSignal) {
    const replica = pick([...cluster.replicas]);
    const sending = replica?.request('/api/chat/send', { method: 'POST', body, headers }).catch(() => undefined);
    const lost = new Promise<undefined>((resolve) => signal?.addEventListener('abort', () => resolve(undefined)));
    return signal ? Promise.race([sending, lost]) : sending;
  }

  async function cancel({ response_id: id, turn_id: turnId }: Sent): Promise<void> {
    cancelled.add(turnId);
    const route = `/v1/responses/${id}/cancel`;
    await pick([...cluster.replicas])
      ?.request(route, { method: 'POST' })
      .catch(() => undefined);
  }

  async function talk(): Promise<void> {
    let thread: Sent | undefined;
    for (let said = 0; steering < MESSAGES; said++) {
      if (said % PER_THREAD === 0) thread = undefined;
      const begun = await send(`#${++numbers}\n${workOf(5)}`, { thread_id: thread?.thread_id });
      thread = begun;
      for (let more = 1 + Math.floor(Math.random() * 3); more > 0; more--) {
        await randomMoment(250);
        steering++;
        said++;
        const when_busy = Math.random() < 0.3 ? 'now' : 'steer';
        const sent = await send(`#${++numbers}\n${workOf(Math.floor(Math.random() * 3))}`, {
          thread_id: begun.thread_id,
          when_busy,
        });
        if (Math.random() < 0.05) await cancel(sent);
      }
      await randomMoment(400);
    }
  }

  const ended = Promise.all(Array.from({ length: LANES }, talk)).catch((error: unknown) => {
    failure = error;
    throw error;
  });
  ended.catch(() => {}); // reported where it is awaited
  return { accepted, cancelled, ended, steering: () => steering, failed: () => failure !== undefined };
}

function workOf(calls: number): string {
  return Array.from({ length: calls }, () => `use mark_once {"ledger":"${cluster.ledger.url}","pause":60}`).join('\n');
}

async function countOpen(): Promise<number> {
  const [row] = await query<{ count: string }>(cluster, 'select count(*) from turns where ended_at is null');
  return Number(row?.count);
}
