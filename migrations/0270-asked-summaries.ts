import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/**
 * When the owner of a thread asked for a summary of its earlier messages; null when none is asked for. A replica of the version before
 * leaves the wish to a turn of another.
 */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table threads add column compact_asked_at timestamptz`.execute(db);
  await installFunctions(db, functions);
}

export const functions = { 'engine/thread_context': 'b09053ed1a21' };
