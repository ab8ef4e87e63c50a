import { createHmac } from 'node:crypto';
import { type Cell, ownCell } from '#domain/cell/cell.ts';
import { findHome, findRegistrar, type Placement } from '#domain/cell/placement.ts';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';
import { placeIdentity } from '#store/accounts/placements.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';
import type { Refusal } from '../authenticate.ts';

export type PlacementSettings = Placement & {
  /** What the cells sign vouchers with: the first, and all are accepted. */
  readonly keys: readonly [Buffer, ...Buffer[]];
};

/** What a sign-in brings from another cell: a signature through the browser, or the fact that the router has repeated the request here. */
export type Voucher = { readonly signed: string } | 'repeated' | undefined;

export type Placing = ReturnType<typeof createPlacing>;

/**
 * Decides in which cell a person begins whom this one does not know:
 *
 * 1. Every identity has a registrar, and all cells agree on which. Any other cell sends the person there.
 * 2. The registrar decides once, and remembers it: for their home, or for the cell that has sent them and expects them.
 * 3. It vouches for the person in the cell of its choice. Only a cell with a voucher creates the user.
 */
export function createPlacing(db: IdentityDatabase, placement: PlacementSettings) {
  const { keys } = placement;

  const sign = (hash: Buffer, cell: Cell, key: Buffer) =>
    `${cell}.${createHmac('sha256', key).update(`placed in cell ${cell} `).update(hash).digest('base64url')}`;

  /** The cell that a voucher is for, if another cell has made it for this person. */
  function cellOf(voucher: Voucher, hash: Buffer): Cell | undefined {
    if (typeof voucher !== 'object') return undefined;
    const cell = Number(/^\d{1,4}(?=\.)/.exec(voucher.signed)?.[0]);
    const given = hashSecret(voucher.signed);
    return keys.some((key) => equalsSecret(sign(hash, cell, key), given)) ? cell : undefined;
  }

  /** The way to another cell. */
  const send = (hash: Buffer, cell: Cell): Refusal => ({
    outcome: 'elsewhere',
    cell,
    isGuess: false,
    voucher: sign(hash, cell, keys[0]),
  });

  return {
    send,

    /** Where to send a person whom this cell does not know; undefined if they begin here. `isExpected`: an operator has added them here. */
    async findPlace(hash: Buffer, voucher: Voucher, isExpected: boolean): Promise<Refusal | undefined> {
      const own = ownCell();
      const registrar = findRegistrar(hash, placement);
      if (own === undefined || registrar === undefined) return undefined;
      const wanted = cellOf(voucher, hash);
      if (wanted === own) return undefined; // another cell says so, which knows where they went
      if (registrar !== own) {
        if (voucher === 'repeated') return undefined;
        const way = { outcome: 'elsewhere', cell: registrar, isGuess: true } as const;
        return isExpected ? { ...way, voucher: sign(hash, own, keys[0]) } : way;
      }
      const choice = isExpected ? own : (wanted ?? findHome(hash, placement.cells) ?? own);
      const cell = await placeIdentity(db, hash, choice);
      return cell === own ? undefined : send(hash, cell);
    },
  };
}
