import { type Kysely, sql } from 'kysely';

/** An endpoint can get the results of its owner's missions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table notification_endpoints add column results boolean not null default false,
    add check (not (results and everyone))`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
