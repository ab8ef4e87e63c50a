import type { Kysely } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/** The owner of attachments is locked before several of them. A replica of the version before does so where it deletes their uses. */
export const worksWith = '0100-baseline';

export const up = (db: Kysely<unknown>): Promise<void> => installFunctions(db, functions);

export const functions = { 'store/note_idle_attachment': 'a14496e22456' };
