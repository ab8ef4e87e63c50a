import { type Kysely, sql } from 'kysely';

/**
 * Gives events an owner, so that a deletion finds them when their turn no longer exists. Replicas of the previous version write
 * events without one; those expire an hour after their turn has ended.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table turn_events add column user_id text`.execute(db);
  for (const name of ['engine', 'owner_select', 'owner_delete'])
    await sql`drop policy ${sql.id(name)} on turn_events`.execute(db);
  // The model calls of tools that are counted, so that a repeated send counts nothing: see `append_items`.
  await sql`alter table turns add column counted_calls uuid[]`.execute(db);
  // One policy for each command, the engine's part first: the engine's statements evaluate nothing else.
  const isEngine = sql`(select current_setting('app.engine', true)) = 'on'`;
  const isOwner = sql`user_id = (select current_setting('app.user_id', true))`;
  await sql`create policy writing on turn_events for insert with check (${isEngine})`.execute(db);
  await sql`create policy reading on turn_events for select using (${isEngine} or ${isOwner})`.execute(db);
  await sql`create policy deleting on turn_events for delete using (${isEngine} or ${isOwner})`.execute(db);
}

export const worksWith = '0022-sign-in-codes';

export const indexes = ['turn_events_by_user on turn_events (user_id)'];
