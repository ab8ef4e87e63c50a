import { randomUUID } from 'node:crypto';
import { type ItemBody, text } from '#domain/thread/item.ts';
import type { Failure, TurnStatus } from '#domain/thread/turn.ts';
import type { Usage } from '#domain/usage.ts';

type Home = { query(statement: string, values?: unknown[]): Promise<unknown> };

export type SeededTurn = {
  readonly asked: string;
  readonly made: readonly { readonly body: ItemBody; readonly seconds?: number; readonly attempt?: number }[];
  readonly status?: TurnStatus;
  readonly failure?: Failure;
  readonly attempts?: number;
};

export type SeededThread = {
  readonly title: string;
  readonly minutesAgo?: number;
  readonly pinned?: boolean;
  readonly turns: readonly SeededTurn[];
};

export const said = (words: string): ItemBody => ({
  type: 'message',
  role: 'assistant',
  content: [text(words)],
  status: 'completed',
});

const asks = (words: string): ItemBody => ({ ...said(words), type: 'message', role: 'user' }) as ItemBody;

/** Puts a thread of the operator's into the database as if it had been talked, and tells its id. */
export async function seedThread(home: Home, thread: SeededThread): Promise<string> {
  const id = randomUUID();
  const began = Date.now() - (thread.minutesAgo ?? 5) * 60_000;
  const at = (seconds: number) => new Date(began + seconds * 1000).toISOString();
  const turns: object[] = [];
  const items: object[] = [];
  let clock = 0;
  for (const [index, turn] of thread.turns.entries()) {
    const turnId = randomUUID();
    const place = { thread_id: id, turn_id: turnId, turn_seq: index + 1 };
    const start = clock;
    items.push({ ...place, position: 0, id: randomUUID(), body: asks(turn.asked), created_at: at(clock) });
    for (const [position, made] of turn.made.entries()) {
      const from = clock;
      clock += made.seconds ?? 1;
      const isCall = made.body.type === 'function_call';
      items.push({
        ...place,
        position: position + 1,
        id: randomUUID(),
        attempt: made.attempt ?? 0,
        body: made.body,
        usage: made.body.type === 'function_call_output' ? null : USAGE,
        started_at: isCall ? at(clock) : null,
        created_at: at(isCall ? clock : from + (made.seconds ?? 1)),
      });
    }
    turns.push({
      id: turnId,
      thread_id: id,
      seq: index + 1,
      status: turn.status ?? 'completed',
      failure: turn.failure ?? null,
      usage: USAGE,
      attempt: (turn.attempts ?? 1) - 1,
      created_at: at(start),
      ended_at: at(clock),
    });
    clock += 2;
  }
  await home.query(INSERT_THREAD, [id, thread.turns.length, thread.title, thread.pinned ?? false, at(0)]);
  await home.query(INSERT_TURNS, [JSON.stringify(turns)]);
  await home.query(INSERT_ITEMS, [JSON.stringify(items)]);
  return id;
}

const USAGE: Usage = {
  inputTokens: 1840,
  cachedInputTokens: 0,
  outputTokens: 212,
  reasoningTokens: 0,
  cost: { inputUsd: 0.0046, outputUsd: 0.0031 },
};

const INSERT_THREAD = `
  insert into threads (id, user_id, last_seq, title, opening, pinned, created_at, updated_at)
  values ($1, 'operator', $2, $3, $3, $4, $5, $5)`;

const INSERT_TURNS = `
  insert into turns (id, thread_id, user_id, seq, status, channel, request, failure, usage, attempt, created_at, started_at, ended_at)
  select id, thread_id, 'operator', seq, status, 'gateway', '{"model":null,"temperature":null,"tools":[],"echo":{}}', failure,
    usage, attempt, created_at, created_at, ended_at
  from json_to_recordset($1) as row (id uuid, thread_id uuid, seq integer, status text, failure json, usage json,
    attempt integer, created_at timestamptz, ended_at timestamptz)`;

const INSERT_ITEMS = `
  insert into items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body, usage, started_at, created_at)
  select thread_id, turn_seq, position, id, turn_id, 'operator', attempt, body, usage, started_at, created_at
  from json_to_recordset($1) as row (thread_id uuid, turn_seq integer, position integer, id uuid, turn_id uuid,
    attempt integer, body json, usage json, started_at timestamptz, created_at timestamptz)`;
