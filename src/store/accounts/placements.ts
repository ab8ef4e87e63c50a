import { sql } from 'kysely';
import type { Cell } from '#domain/cell/cell.ts';
import type { IdentityDatabase } from '../identity-connection.ts';

/** Remembers the cell of an identity, and returns the one that counts: the first that was ever chosen. */
export async function placeIdentity(db: IdentityDatabase, hash: Buffer, cell: Cell): Promise<Cell> {
  const row = await db
    .insertInto('placements')
    .values({ hash, cell })
    // An update that changes nothing, so that the row is returned.
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ cell: sql<Cell>`placements.cell` }))
    .returning('cell')
    .executeTakeFirstOrThrow();
  return row.cell;
}
