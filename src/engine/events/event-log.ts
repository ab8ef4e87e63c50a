import type { ItemId, TurnId } from '#domain/ids.ts';
import type { NumberedEvent, TurnEvent } from '#domain/thread/turn-event.ts';
import type { EnginePool } from '../engine-connection.ts';

/** Consecutive events of one attempt at a turn, kept as one row. */
export type EventRun = { readonly turnId: TurnId; readonly attempt: number; readonly events: readonly NumberedEvent[] };

/** Drops the runs of superseded attempts: only the newest attempt of a turn may write events. */
export async function writeEvents(pool: EnginePool, runs: readonly EventRun[]): Promise<void> {
  await pool.query(
    `insert into turn_events (turn_id, first, last, events, user_id)
     select run.turn_id, run.first, run.last, run.events::json, turns.user_id
     from unnest($1::uuid[], $2::integer[], $3::bigint[], $4::bigint[], $5::text[])
       as run (turn_id, attempt, first, last, events)
     join turns on turns.id = run.turn_id and turns.attempt = run.attempt
     on conflict do nothing`,
    [
      runs.map((run) => run.turnId),
      runs.map((run) => run.attempt),
      runs.map((run) => run.events[0]?.sequence),
      runs.map((run) => run.events.at(-1)?.sequence),
      runs.map((run) => JSON.stringify(merge(run.events.map(({ event }) => event)))),
    ],
  );
}

export type Cursor = { readonly turnId: TurnId; readonly after: number };

/** Reads the events after each cursor, in order. `limit` counts rows. */
export async function readEvents(
  pool: EnginePool,
  cursors: readonly Cursor[],
  limit: number,
): Promise<Map<TurnId, NumberedEvent[]>> {
  const { rows } = await pool.query<{ turnId: TurnId; after: string; first: string; events: MergedEvent[] }>(
    `select turn_id as "turnId", cursor.after, first, events
     from unnest($1::uuid[], $2::bigint[]) as cursor (id, after)
     join turn_events on turn_id = cursor.id and last > cursor.after
     order by turn_id, first limit $3`,
    [cursors.map(({ turnId }) => turnId), cursors.map(({ after }) => after), limit],
  );
  const found = new Map<TurnId, NumberedEvent[]>();
  for (const row of rows) {
    const events = found.get(row.turnId) ?? [];
    found.set(row.turnId, events);
    split(row.events).forEach((event, index) => {
      const sequence = Number(row.first) + index;
      if (sequence > Number(row.after)) events.push({ sequence, event });
    });
  }
  return found;
}

/** Deletes the events of turns that no longer exist, for example because their thread was deleted while the events were written. */
export async function deleteEventsOfDeleted(pool: EnginePool, turnIds: readonly TurnId[]): Promise<void> {
  await pool.query(
    `delete from turn_events where turn_id = any($1::uuid[]) and not exists (select from turns where id = turn_id)`,
    [turnIds],
  );
}

/** Whether this is the last event in the turn's log. */
export async function isLastEvent(pool: EnginePool, turnId: TurnId, sequence: number): Promise<boolean> {
  const { rows } = await pool.query<{ last: string | null }>(
    'select max(last) as last from turn_events where turn_id = $1',
    [turnId],
  );
  return rows[0]?.last === String(sequence);
}

/** Consecutive deltas are stored as one event with their pieces kept separate, so that each piece keeps its number. */
type MergedEvent =
  | Exclude<TurnEvent, { type: 'text-delta' }>
  | { type: 'text-deltas'; itemId: ItemId; deltas: string[] };

function merge(events: readonly TurnEvent[]): MergedEvent[] {
  const merged: MergedEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (event.type !== 'text-delta') merged.push(event);
    else if (last?.type === 'text-deltas' && last.itemId === event.itemId) last.deltas.push(event.delta);
    else merged.push({ type: 'text-deltas', itemId: event.itemId, deltas: [event.delta] });
  }
  return merged;
}

function split(merged: readonly MergedEvent[]): TurnEvent[] {
  return merged.flatMap((event): TurnEvent[] =>
    event.type === 'text-deltas'
      ? event.deltas.map((delta) => ({ type: 'text-delta', itemId: event.itemId, delta }))
      : [event],
  );
}
