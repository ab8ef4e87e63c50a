import type { Cell } from '#domain/cell/cell.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from './system-connection.ts';

/** Longer than a move takes, unless its command was killed. */
const LONG = '10 minutes';

/** Users whose move to another cell started long ago and is not finished. */
export async function listStoppedMoves(system: SystemConnection): Promise<{ subject: UserId; cell: Cell }[]> {
  const { rows } = await system.query<{ subject: UserId; cell: Cell }>(
    `select subject, cell from user_moves
     where state in ('leaving', 'left') and started_at < now() - interval '${LONG}' order by started_at`,
  );
  return rows;
}

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
