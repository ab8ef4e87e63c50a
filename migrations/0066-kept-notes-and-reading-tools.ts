import { type Kysely, sql } from 'kysely';

/**
 * The version of a tool of which the operator has said that it only reads. It is a revision and not a flag, because a replica of the
 * version before replaces a tool without changing this column.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tools add column reads_revision uuid`.execute(db);
}

/** For the number of notes that their person has not kept yet. */
export const indexes = [`notes_of_unknown_origin on notes (user_id) where origin = 'unknown'`];

export const worksWith = '0022-sign-in-codes';
