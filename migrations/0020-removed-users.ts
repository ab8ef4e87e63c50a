import { type Kysely, sql } from 'kysely';

/** Removing a user also ends the pairings with them, and every replica looks for those who were removed just now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create policy identities on pairings using (
      (select current_setting('app.identities', true)) = 'on'
    )`.execute(db);
  await sql`create index users_by_removal on users (removed_at) where removed_at is not null`.execute(db);
  // Pairings with people who were removed before pairings ended with them.
  await sql`set local app.identities = 'on'`.execute(db);
  await sql`
    delete from pairings using users
    where users.id = pairings.paired_user_id and users.removed_at is not null`.execute(db);
  await sql`set local app.identities = ''`.execute(db);
}
