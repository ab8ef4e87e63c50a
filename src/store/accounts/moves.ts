import { sql } from 'kysely';
import type { Cell } from '#domain/cell/cell.ts';
import type { UserMove } from '#domain/cell/user-move.ts';
import type { UserId } from '#domain/principal.ts';
import type { IdentityDatabase, IdentityTransaction } from '../identity-connection.ts';

/** The move of the user in a query that joins `user_moves`. */
export const MOVE = sql`case when state is not null then json_build_object('cell', cell, 'state', state) end as move`;

/** Throws when the user moves to another cell, so that nothing is written that would stay behind. */
export async function refuseMoving(trx: IdentityTransaction, userId: UserId): Promise<void> {
  await sql`select refuse_moving(array[${userId}::text])`.execute(trx);
}

/** The move of a user who leaves this cell or has left it. */
export function findMove(db: IdentityDatabase, userId: UserId): Promise<UserMove | undefined> {
  return selectMoves(db).where('subject', '=', userId).executeTakeFirst();
}

/** The users who are leaving at this moment. */
export async function findLeaving(db: IdentityDatabase): Promise<UserId[]> {
  const rows = await selectMoves(db).where('state', 'in', ['leaving', 'left']).execute();
  return rows.map(({ subject }) => subject);
}

const selectMoves = (db: IdentityDatabase) =>
  db
    .selectFrom('userMoves')
    .select(['id', 'subject', 'cell', 'state'])
    .where('state', '<>', 'arrived')
    .$narrowType<{ state: UserMove['state'] }>();

export type Forward = { readonly hash: Buffer; readonly cell: Cell };

/** The cells of users who have left, by the hashes of what they are known by. */
export function findForwards(db: IdentityDatabase, hashes: readonly Buffer[]): Promise<Forward[]> {
  return db.selectFrom('forwards').select(['hash', 'cell']).where('hash', 'in', hashes).execute();
}
