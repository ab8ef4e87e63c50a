import { listStoppedMoves } from '#store/system/moves.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { type Finding, warning } from './finding.ts';

/** Whether moves to other cells were stopped halfway: until such a move is finished, its user may be refused. */
export async function checkMoves(system: SystemConnection): Promise<Finding[]> {
  const moves = await listStoppedMoves(system);
  return moves.map(({ subject, cell }) =>
    warning(
      'moves',
      `The user ${subject} began to move to cell ${cell}, and the move is not finished. Until it is, they may get 503.`,
      `If no \`reborn user move\` is running, run it again: reborn user move ${subject} --to URL`,
    ),
  );
}
