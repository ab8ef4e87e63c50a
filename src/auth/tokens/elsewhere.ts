import { type Cell, ownCell } from '#domain/cell/cell.ts';
import type { UserMove } from '#domain/cell/user-move.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import { findForwards } from '#store/accounts/moves.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';
import type { Refusal } from '../authenticate.ts';
import { lookUpTogether } from './look-up-together.ts';
import { otherCellOf } from './operator-token.ts';

export type Elsewhere = ReturnType<typeof createElsewhere>;

/** Finds the cell of what this one does not know any more, or never knew. */
export function createElsewhere(db: IdentityDatabase) {
  const lookUp = lookUpTogether((hashes) => findForwards(db, hashes));

  /** The cell of a user who left this one, by the hash of a secret or of an address. */
  async function findCell(hash: Buffer): Promise<Cell | undefined> {
    return ownCell() === undefined ? undefined : (await lookUp(hash))?.cell;
  }

  async function findLeft(hash: Buffer): Promise<Refusal | undefined> {
    const cell = await findCell(hash);
    return cell === undefined ? undefined : { outcome: 'elsewhere', cell, isGuess: false };
  }

  return {
    findCell,
    /** The same as a verdict. */
    findLeft,

    /** The verdict on a token, cookie or code that this cell does not know. `hash` is of all of it, `bare` ends with the cell. */
    async judgeUnknown(bare: string, hash = hashSecret(bare)): Promise<Refusal> {
      const cell = otherCellOf(bare);
      const guess: Refusal =
        cell === undefined ? { outcome: 'unknown' } : { outcome: 'elsewhere', cell, isGuess: true };
      return (await findLeft(hash)) ?? guess;
    },
  };
}

/** The verdict on a user who leaves this cell or has left it. */
export function judgeMove(move: Pick<UserMove, 'cell' | 'state'> | null | undefined): Refusal | undefined {
  if (!move) return undefined;
  return move.state === 'leaving' ? { outcome: 'moving' } : { outcome: 'elsewhere', cell: move.cell, isGuess: false };
}
