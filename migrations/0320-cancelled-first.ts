import type { Kysely } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/**
 * A turn that was cancelled opens no gate, and no message continues its run. A replica of the version before starts its next attempt,
 * which ends as cancelled.
 */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  await installFunctions(db, functions);
}

export const functions = { 'engine/settle_turns': '4371f30b6def' };
