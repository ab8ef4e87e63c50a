import type { SystemConnection } from './system-connection.ts';

/** How far the drain of this cell has come. */
export type DrainState = {
  readonly moved: number;
  readonly stayed: number;
  readonly left: number;
  readonly perMinute: number;
  readonly isEnded: boolean;
  /** Since the last user was handled, or since its end. */
  readonly idleSeconds: number;
};

/** Undefined if this cell was never drained. */
export async function findDrain(system: SystemConnection): Promise<DrainState | undefined> {
  const { rows } = await system.query<DrainState>(
    `select (value->>'moved')::integer as moved, (value->>'stayed')::integer as stayed, (value->>'left')::integer as left,
       (value->>'perMinute')::integer as "perMinute", value->>'endedAt' is not null as "isEnded",
       greatest(0, floor(extract(epoch from now() - updated_at)))::integer as "idleSeconds"
     from settings where name = 'cell_drain'`,
  );
  return rows[0];
}
