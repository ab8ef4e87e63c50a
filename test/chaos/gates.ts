import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../faults/cluster.ts';
import { pick } from '../faults/load.ts';
import { query } from '../faults/query.ts';
import { randomMoment } from '../support/random-moment.ts';
import { waitFor } from '../support/wait-for.ts';

/** A gate and the turn that continues after it, as the replica that took the answer said. */
type Answered = { readonly gateId: string; readonly turnId: string };

type Reply = {
  readonly status: number;
  readonly text: string;
  readonly body: { readonly turn_id: string; readonly gates: readonly { id: string }[] };
};

const MOST_GATES = 100;
const LIST_MS = 100;
const THINKING_MS = 1500;
const TWICE = 0.2;

/**
 * A person who answers every gate a moment later, through any replica, and again until one says that it is answered. Now and then
 * the answer is sent twice at once. Without this person, the messages behind a gate would wait to the end.
 */
export function startAnswering(cluster: Pick<Cluster, 'replicas' | 'connection'>) {
  const answered: Answered[] = [];
  const refused: string[] = [];
  const seen = new Map<string, Promise<void>>();
  const over = new AbortController();

  /** Undefined when the connection was cut, so that it is unknown whether the request counted. */
  async function send(route: string, body?: object): Promise<Reply | undefined> {
    try {
      const init = body && { method: 'POST', body: JSON.stringify(body) };
      const response = await pick([...cluster.replicas])?.request(route, init);
      if (!response) return undefined;
      const text = await response.text(); // an error may be plain text
      return { status: response.status, text, body: (response.ok ? JSON.parse(text) : {}) as Reply['body'] };
    } catch (error) {
      if (error instanceof TypeError) return undefined; // the error of fetch for a cut connection
      throw error;
    }
  }

  async function answer(gateId: string): Promise<void> {
    let isUnknown = false;
    for (;;) {
      await randomMoment(THINKING_MS);
      const said = { answer: pick(['approve', 'deny']) };
      const count = Math.random() < TWICE ? 2 : 1;
      const replies = await Promise.all(Array.from({ length: count }, () => send(`/api/gates/${gateId}`, said)));
      for (const reply of replies)
        if (reply?.status === ACCEPTED) answered.push({ gateId, turnId: reply.body.turn_id });
      isUnknown ||= replies.some((reply) => !reply || reply.status >= 500);
      const isTaken = replies.some((reply) => reply?.status === ACCEPTED);
      const wrong = replies.find((reply) => reply && isWrong(reply.status, isTaken || isUnknown));
      if (wrong) refused.push(`gate ${gateId}: ${wrong.status} ${wrong.text}`);
      if (isTaken || replies.some((reply) => reply && reply.status < 500)) return;
    }
  }

  async function work(): Promise<void> {
    while (!over.signal.aborted) {
      const reply = await send(`/api/gates?limit=${MOST_GATES}`);
      for (const { id } of reply?.status === 200 ? reply.body.gates : [])
        if (!seen.has(id))
          seen.set(
            id,
            answer(id).catch((error: unknown) => void refused.push(`gate ${id}: ${String(error)}`)),
          );
      await sleep(LIST_MS);
    }
    await Promise.all(seen.values());
  }

  const working = work();
  working.catch(() => {}); // reported by `stop`
  return {
    /** Waits until no gate is open and no turn runs after one. */
    async stop(): Promise<void> {
      try {
        const answeredAll = waitFor('all gates to be answered', async () => (await countOpen(cluster)) === 0);
        await Promise.race([answeredAll, working]); // the person may have failed
      } finally {
        over.abort();
      }
      await working;
    },
    findBreaches: async (): Promise<string[]> => [
      ...refused.map((reply) => `an answer was refused: ${reply}`),
      ...(await findGateBreaches(cluster, answered)),
    ],
  };
}

const ACCEPTED = 202;
const UNAVAILABLE = 503;

/** An open gate takes an answer, unless the database is away. It is not found only when another answer may have counted. */
const isWrong = (status: number, mayBeAnswered: boolean): boolean =>
  status !== ACCEPTED && status !== UNAVAILABLE && !(status === 404 && mayBeAnswered);

async function countOpen(cluster: Pick<Cluster, 'connection'>): Promise<number> {
  const [row] = await query<{ count: number }>(
    cluster,
    `select (select count(*) from gates where answered_at is null)::integer
       + (select count(*) from turns where ended_at is null)::integer as count`,
  );
  return row?.count ?? 0;
}

/** What must not happen at gates. Every returned row is a violation. */
async function findGateBreaches(
  cluster: Pick<Cluster, 'connection'>,
  answered: readonly Answered[],
): Promise<string[]> {
  const found = [];
  for (const [what, statement, values] of invariants(answered)) {
    const rows = await query<{ breach: string }>(cluster, statement, values);
    found.push(...rows.map(({ breach }) => `${what}: ${breach}`));
  }
  return found;
}

const invariants = (answered: readonly Answered[]): [string, string, unknown[]?][] => [
  ['a gate is open at the end', 'select id::text as breach from gates where answered_at is null'],
  [
    'an answer was accepted, but another turn or none continues',
    `select format('gate %s, turn %s', said.gate_id, said.turn_id) as breach
     from unnest($1::uuid[], $2::uuid[]) as said (gate_id, turn_id)
     left join gates on gates.id = said.gate_id
     left join turns on turns.thread_id = gates.thread_id and turns.seq = gates.answered_seq
     where gates.answered_at is null or turns.id is distinct from said.turn_id`,
    [answered.map(({ gateId }) => gateId), answered.map(({ turnId }) => turnId)],
  ],
  [
    'a message came between a gate and the turn that continues',
    `select turns.id::text as breach from gates join turns on turns.thread_id = gates.thread_id
       and turns.seq > gates.turn_seq and turns.seq < gates.answered_seq where not turns.refused`,
  ],
  [
    'a turn behind a gate began before the answer',
    `select turns.id::text as breach from gates join turns on turns.thread_id = gates.thread_id
       and turns.seq > gates.turn_seq where turns.started_at < coalesce(gates.answered_at, 'infinity')`,
  ],
  [
    'a call has two outputs',
    `select body ->> 'callId' as breach from items where body ->> 'type' = 'function_call_output'
     group by thread_id, body ->> 'callId' having count(*) > 1`,
  ],
];
