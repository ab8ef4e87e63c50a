import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';

export type Mark = { readonly name: string; readonly key: string };

/** What the world saw: the marks that tools left, whoever ran them. */
export async function startLedger() {
  const marks: Mark[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      marks.push(JSON.parse(body) as Mark);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    marks,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Looks at the tables from outside, with the engine's eyes. Answers what breaks an invariant; nothing is the good answer. */
export async function findBreaches(connection: pg.ClientConfig, accepted: readonly string[]): Promise<string[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(`set app.engine = 'on'`);
    const breaches = [];
    for (const [what, statement, values] of INVARIANTS(accepted)) {
      const { rows } = await client.query<{ breach: string }>(statement, values);
      breaches.push(...rows.map(({ breach }) => `${what}: ${breach}`));
    }
    return breaches;
  } finally {
    await client.end();
  }
}

/** Every row of an answer is a breach. */
const INVARIANTS = (accepted: readonly string[]): [string, string, unknown[]][] => [
  [
    'an accepted message has no ended turn',
    `select id::text as breach from unnest($1::uuid[]) as accepted (id)
     where not exists (select from turns where turns.id = accepted.id and ended_at is not null)`,
    [[...accepted]],
  ],
  ['a turn has not ended', `select id || ' ' || status as breach from turns where ended_at is null`, []],
  ['a thread is stuck', `select id::text as breach from threads where active is not null`, []],
  [
    "a thread's turns have a gap",
    `select thread_id::text as breach from turns group by thread_id
     having max(seq) <> count(*) or min(seq) <> 1 or max(seq) <> (select last_seq from threads where id = thread_id)`,
    [],
  ],
  [
    "a turn's items have a gap",
    `select turn_id::text as breach from items group by turn_id having max(position) + 1 <> count(*) or min(position) <> 0`,
    [],
  ],
  [
    'a turn began before the one ahead of it had ended',
    `select later.id::text as breach from turns as later
     join turns as earlier on earlier.thread_id = later.thread_id and earlier.seq = later.seq - 1
     where later.started_at < earlier.ended_at`,
    [],
  ],
  [
    'an item was written by an older attempt after a newer one',
    `select id::text as breach from (
       select id, attempt, max(attempt) over (partition by turn_id order by position) as newest
       from items where attempt is not null) as written where attempt < newest`,
    [],
  ],
  [
    'a completed turn does not end with its answer',
    `select turns.id::text as breach from turns
     left join (select distinct on (turn_id) turn_id, body ->> 'type' as type, attempt from items
       order by turn_id, position desc) as last on last.turn_id = turns.id
     where status = 'completed' and (last.type is distinct from 'message' or last.attempt is null)`,
    [],
  ],
];
