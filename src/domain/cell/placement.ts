import { createHash } from 'node:crypto';
import type { Cell } from './cell.ts';

/** A cell in the list of all. One of twice the weight gets twice as many new users; with a weight of 0 it gets none. */
export type WeightedCell = { readonly cell: Cell; readonly weight: number };

/** How people who sign in for the first time are spread over the cells; the same settings in all of them. */
export type Placement = {
  readonly cells: readonly WeightedCell[];
  /** The cells that remember where each identity was placed. They never change, so all cells agree on the one to ask. */
  readonly registrars: readonly Cell[];
};

/**
 * The home of `key` by weighted rendezvous hashing: each cell draws a number for it, and the best one wins. A cell that is added only
 * takes keys, one that is closed only gives its own away, and a changed weight moves no others. Undefined if no cell is open.
 */
export function findHome(key: Buffer, cells: readonly WeightedCell[]): Cell | undefined {
  let home: Cell | undefined;
  let best = 0;
  for (const { cell, weight } of cells) {
    const score = weight / -Math.log(draw(key, cell));
    if (score > best) [home, best] = [cell, score];
  }
  return home;
}

/** The cell that decides where `key` is placed, and remembers it. */
export const findRegistrar = (key: Buffer, { registrars }: Placement): Cell | undefined =>
  findHome(
    key,
    registrars.map((cell) => ({ cell, weight: 1 })),
  );

const BITS = 48;

/** A number between 0 and 1, both excluded: the same for the same key and cell, in each process and version. */
function draw(key: Buffer, cell: Cell): number {
  const hash = createHash('sha256').update(key).update(`cell ${cell}`).digest();
  return (hash.readUIntBE(0, BITS / 8) + 0.5) / 2 ** BITS;
}
