import { type Kysely, sql } from 'kysely';

/** Removing a user also ends the pairings with them, and every replica looks for recently removed users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create policy identities on pairings using (
      (select current_setting('app.identities', true)) = 'on'
    )`.execute(db);
  await sql`create index users_by_removal on users (removed_at) where removed_at is not null`.execute(db);
  // Deletes pairings with users who were removed before this version.
  await sql`set local app.identities = 'on'`.execute(db);
  await sql`
    delete from pairings using users
    where users.id = pairings.paired_user_id and users.removed_at is not null`.execute(db);
  await sql`set local app.identities = ''`.execute(db);
}
