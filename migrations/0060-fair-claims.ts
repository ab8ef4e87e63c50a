import { type Kysely, sql } from 'kysely';

/** The attempt at a turn that was on trial in a group of suspects, and the size of that group. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table turns add column group_attempt integer, add column group_size integer`.execute(db);
}

/** `claim_turns` walks along the waiting turns user by user. Turns that start at once are never in this index. */
export const indexes = ['turns_ready_by_user on turns (user_id, ready_at) where ready_at is not null'];

export const worksWith = '0022-sign-in-codes';
