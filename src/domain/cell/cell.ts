/** The number of an installation that shares its address with others, from 1 to 4095. */
export type Cell = number;

let own: Cell | undefined;

/** Lets the ids and secrets that this process creates carry the cell. A process serves one cell. */
export function joinCell(cell: Cell | undefined): void {
  own = cell;
}

/** The cell of this process; undefined for a single installation. */
export const ownCell = (): Cell | undefined => own;

/** The three hex digits that ids and secrets of this cell end with; empty for a single installation. */
export const cellDigits = (): string => (own === undefined ? '' : digitsOf(own));

export const digitsOf = (cell: Cell): string => cell.toString(16).padStart(3, '0');

/** Adds the cell to a new secret. The longer text is how the router tells it from a secret without one. */
export const carryCell = (secret: string): string => secret + cellDigits();

/** The cell that a secret of `length` characters was made in, if it carries one. */
export function cellIn(secret: string, length: number): Cell | undefined {
  const digits = secret.slice(length);
  return /^[\da-f]{3}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
