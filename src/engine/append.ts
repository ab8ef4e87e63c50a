import type { WrittenItem } from '#domain/item.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { Turn } from '#domain/turn.ts';
import type { EnginePool } from './engine-connection.ts';
import { callParameters, countCalls, PART, unnestCalls } from './ledger.ts';

/** What a running turn has made, to be written from `position` on, and the model call that made it, to be counted. */
export type Appending = {
  readonly turn: Turn;
  readonly position: number;
  readonly items: readonly WrittenItem[];
  readonly call: ModelCall | null;
};

/**
 * Writes items of several turns in one statement. Those of a turn are written all or not at all, and only if its
 * attempt is still the one that runs. Answers for each whether it was.
 */
export async function appendItems(pool: EnginePool, batch: readonly Appending[]): Promise<boolean[]> {
  const rows = batch.flatMap(({ turn, position, items }) =>
    items.map((item, index) => ({ turn, position: position + index, item })),
  );
  const { rows: written } = await pool.query<{ turnId: string }>(APPEND, [
    batch.map(({ turn }) => turn.id),
    batch.map(({ turn }) => turn.attempt),
    rows.map(({ turn }) => turn.id),
    rows.map(({ position }) => position),
    rows.map(({ item }) => item.id),
    rows.map(({ item: { id: _id, usage: _usage, started: _started, ...body } }) => JSON.stringify(body)),
    rows.map(({ item }) => item.usage && JSON.stringify(item.usage)),
    rows.map(({ item }) => item.started),
    ...callParameters(batch.flatMap(({ turn, call }) => (call ? [{ turnId: turn.id, call }] : []))),
  ]);
  const turns = new Set(written.map(({ turnId }) => turnId));
  return batch.map(({ turn }) => turns.has(turn.id));
}

// Arrays of texts, not one JSON: PostgreSQL can't take a JSON apart that holds \u0000.
const APPEND = `
  with fence as (
    select turns.id, thread_id, seq, user_id, turns.attempt, ${PART} as part from turns
    join unnest($1::uuid[], $2::integer[]) as running (id, attempt)
      on running.id = turns.id and running.attempt = turns.attempt
    where status = 'running' order by turns.id for no key update of turns
  ), counted as (
    ${countCalls(unnestCalls(9), 'fence')}
  )
  insert into items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body, usage, started_at)
  select fence.thread_id, fence.seq, made.position, made.id, fence.id, fence.user_id, fence.attempt,
    made.body::json, made.usage::json, case when made.started then now() end
  from unnest($3::uuid[], $4::integer[], $5::uuid[], $6::text[], $7::text[], $8::boolean[])
    as made (turn_id, position, id, body, usage, started)
  join fence on fence.id = made.turn_id
  returning turn_id as "turnId"`;
