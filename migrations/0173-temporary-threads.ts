import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/** Temporary threads. A replica of the version before treats them like others, but for search and memory it may read them. */
export const worksWith = '0100-baseline';

export const indexes = ['threads_temporary on threads (updated_at) where temporary'];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table threads add column temporary boolean not null default false`.execute(db);
  await installFunctions(db, functions);
}

export const functions = {
  'engine/accept_turns': '280dac5ca6d1',
  'engine/thread_context': '63a005491e2d',
  'lifecycle/delete_idle_threads': '45e11e318151',
  'lifecycle/purge_temporary': '76a677bbfe18',
  'lifecycle/purge_threads': '7783109701df',
};
