import { type Kysely, sql } from 'kysely';

/** Lets owners delete a turn together with its events, and with the summaries that cover it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const user = sql`(select current_setting('app.user_id', true))`;
  const isOwned = sql`exists (select from turns where turns.id = turn_events.turn_id and turns.user_id = ${user})`;
  // A delete with a condition reads the rows first, so it needs both policies.
  for (const act of ['select', 'delete'])
    await sql`
      create policy ${sql.raw(`owner_${act}`)} on turn_events for ${sql.raw(act)} using (${isOwned})`.execute(db);
  await sql`create policy owner_delete on summaries for delete using (user_id = ${user})`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
