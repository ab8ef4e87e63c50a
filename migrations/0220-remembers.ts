import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/** Whether the agent may remember new things for a user. A replica of the version before remembers them. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table preferences add column remembers boolean not null default true`.execute(db);
  await installFunctions(db, functions);
}

export const functions = { 'engine/user_context': 'f97e095237eb' };
