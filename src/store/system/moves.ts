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
