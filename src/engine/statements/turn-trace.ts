import type { TurnId } from '#domain/ids.ts';
import { attemptOf, type NumberedEvent, type TurnEvent } from '#domain/thread/turn-event.ts';
import type { EnginePool } from '../engine-connection.ts';
import { readEvents } from '../events/event-log.ts';

/** When an attempt was first and last recorded, and the events it emitted. */
export type AttemptTrace = {
  readonly attempt: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly events: readonly TurnEvent[];
};

/** The attempts at a turn that are still in the event log, in order. */
export async function readTrace(pool: EnginePool, turnId: TurnId): Promise<AttemptTrace[]> {
  const { rows } = await pool.query<{ attempt: number; firstAt: Date; lastAt: Date }>(
    `select (first / 1000000)::integer as attempt, min(created_at) as "firstAt", max(created_at) as "lastAt"
     from turn_events where turn_id = $1 group by 1 order by 1`,
    [turnId],
  );
  const logged: NumberedEvent[] = (await readEvents(pool, [{ turnId, after: -1 }], ALL)).get(turnId) ?? [];
  const events = Map.groupBy(logged, ({ sequence }) => attemptOf(sequence));
  return rows.map((row) => ({ ...row, events: (events.get(row.attempt) ?? []).map(({ event }) => event) }));
}

const ALL = 1_000_000;
