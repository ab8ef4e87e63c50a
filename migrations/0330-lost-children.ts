import type { Kysely } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/**
 * A child is lost only with the last turn of its run, not with an earlier one that a person deletes, and an idle thread stays while
 * another transaction holds the thread of a child.
 */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  await installFunctions(db, functions);
}

export const functions = {
  'engine/lose_delegation': '2749aaeadc39',
  'lifecycle/delete_idle_threads': '338785287740',
};
