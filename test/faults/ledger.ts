import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import type { Streamed } from './streamed.ts';

export type Mark = { readonly name: string; readonly key: string };

/** The marks that tools left outside, on any replica. */
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

/** Observations from outside, to compare with the tables. */
export type Account = {
  /** Turns whose messages were accepted. */
  readonly accepted: readonly string[];
  readonly streams?: readonly Streamed[];
  readonly marks?: readonly Mark[];
  /** A process died. Only then may a turn fail as interrupted. */
  readonly deaths?: boolean;
  /** The event log was lost during the run, so the unread rest of a message arrives with its end. */
  readonly lostLog?: boolean;
  /** A failover lost the newest commits, and accepted messages with them. */
  readonly lostCommits?: boolean;
};

/** Reads the tables with the engine's rights and returns every violation of an invariant. */
export async function findBreaches(connection: pg.ClientConfig, account: Account): Promise<string[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(`set app.engine = 'on'`);
    const ask = async <T extends pg.QueryResultRow>(statement: string, values: unknown[] = []) =>
      (await client.query<T>(statement, values)).rows;
    const breaches = [];
    for (const [what, statement, values] of invariants(account)) {
      const rows = await ask<{ breach: string }>(statement, values);
      breaches.push(...rows.map(({ breach }) => `${what}: ${breach}`));
    }
    const ids = (account.streams ?? []).map(({ turnId }) => turnId);
    const messages = await ask<Said>(SAID, [ids]);
    return [...breaches, ...findMissingText(account, messages), ...findRepeated(account)];
  } finally {
    await client.end();
  }
}

/** Every returned row is a violation. */
const invariants = ({ accepted, deaths, lostCommits }: Account): [string, string, unknown[]?][] => [
  ...(lostCommits ? [] : [ACCEPTED(accepted)]),
  ...(deaths ? [] : [INTERRUPTED]),
  ['a message has two turns', `${NUMBERED} group by 1 having count(*) > 1`],
  [
    'a turn has not ended',
    `select format('%s %s; its thread %s has %s and %s', turns.id, turns.status, threads.id,
       case active when turns.id then 'it active' else coalesce('another active: ' || active, 'none active') end,
       coalesce('the open gate ' || gates.id, 'no open gate')) as breach
     from turns join threads on threads.id = turns.thread_id
     left join gates on gates.thread_id = threads.id and answered_at is null where turns.ended_at is null`,
  ],
  ['a thread is stuck', `select id::text as breach from threads where active is not null`],
  [
    "a thread's turns have a gap",
    `select thread_id::text as breach from turns group by thread_id
     having max(seq) <> count(*) or min(seq) <> 1 or max(seq) <> (select last_seq from threads where id = thread_id)`,
  ],
  [
    "a turn's items have a gap",
    `select turn_id::text as breach from items group by turn_id having max(position) + 1 <> count(*) or min(position) <> 0`,
  ],
  [
    'a turn began before the one ahead of it had ended',
    `select later.id::text as breach from turns as later
     join turns as earlier on earlier.thread_id = later.thread_id and earlier.seq = later.seq - 1
     where later.started_at < earlier.ended_at`,
  ],
  [
    'an item was written by an older attempt after a newer one',
    `select id::text as breach from (
       select id, attempt, max(attempt) over (partition by turn_id order by position) as newest
       from items where attempt is not null) as written where attempt < newest`,
  ],
  [
    'a completed turn does not end with its answer',
    `select turns.id::text as breach from turns
     left join (select distinct on (turn_id) turn_id, body ->> 'type' as type, attempt from items
       order by turn_id, position desc) as last on last.turn_id = turns.id
     where status = 'completed' and (last.type is distinct from 'message' or last.attempt is null)`,
  ],
  [
    'the counted usage differs from the usage of the turns',
    `select format('counted %s, turns have %s', counted, used) as breach from
       (select format('%s in, %s out', coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0)) as counted
        from usage_days) as days,
       (select format('%s in, %s out', coalesce(sum((usage ->> 'inputTokens')::bigint), 0),
          coalesce(sum((usage ->> 'outputTokens')::bigint), 0)) as used from turns) as turns
     where counted <> used`,
  ],
];

const ACCEPTED = (accepted: readonly string[]): [string, string, unknown[]] => [
  'an accepted message has no ended turn',
  `select id::text as breach from unnest($1::uuid[]) as accepted (id)
   where not exists (select from turns where turns.id = accepted.id and ended_at is not null)`,
  [[...accepted]],
];

const INTERRUPTED: [string, string] = [
  'a turn was interrupted though no process died',
  `select id::text as breach from turns where failure ->> 'code' = 'interrupted'`,
];

/** Messages of a load start with a unique number. */
const NUMBERED = `
  select substring(body #>> '{content,0,text}' from '^#\\d+') as breach from items
  where position = 0 and body ->> 'type' = 'message' and body #>> '{content,0,text}' ~ '^#\\d+\\n'`;

/** A client sees a turn that waits for an approval as a failed response. */
const SAID = `
  select turns.id as "turnId", case turns.status when 'waiting' then 'failed' else turns.status end as status, items.id as "itemId", body #>> '{content,0,text}' as text
  from turns left join items on items.turn_id = turns.id and items.attempt is not null and body ->> 'type' = 'message'
  where turns.id = any($1::uuid[])`;

type Said = { turnId: string; status: string; itemId: string | null; text: string | null };

/** A client that followed a turn has read all its messages and its end. */
function findMissingText({ streams = [], lostLog, lostCommits }: Account, said: readonly Said[]): string[] {
  const byTurn = Map.groupBy(said, ({ turnId }) => turnId);
  return streams.flatMap(({ turnId, status, messages }) =>
    (byTurn.get(turnId) ?? []).flatMap((row) => {
      const seen = row.itemId ? messages.get(`msg_${row.itemId.replaceAll('-', '')}`) : undefined;
      if (!seen && lostCommits) return []; // the streamed text was discarded and sent again
      const { deltas = '', done = '' } = seen ?? {};
      const final = row.text ?? '';
      const whole = deltas === final || (lostLog && final.startsWith(deltas));
      return [
        ...(row.status === status ? [] : [`a stream of ${turnId} ended as ${status}, the turn as ${row.status}`]),
        ...(whole && done === final
          ? []
          : [`a stream of ${turnId} says "${deltas}", and at its end "${done}", not "${final}"`]),
      ];
    }),
  );
}

/** A tool that must not be repeated leaves one mark per call, unless a failover lost the call. */
function findRepeated({ marks = [], lostCommits }: Account): string[] {
  if (lostCommits) return [];
  const calls = Map.groupBy(
    marks.filter(({ name }) => name === 'mark_once'),
    ({ key }) => key,
  );
  return [...calls].filter(([, same]) => same.length > 1).map(([key]) => `a call was repeated: ${key}`);
}
