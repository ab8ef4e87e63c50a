import { type Kysely, sql } from 'kysely';

/** Signals every replica when a user is removed, by any process, so that the replicas don't have to poll for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function signal_removal() returns trigger language plpgsql as $$
    begin
      perform pg_notify('reborn', '{"removed":true}');
      return null;
    end $$`.execute(db);
  await sql`
    create trigger signal_removal after update of removed_at on users for each row
    when (old.removed_at is null and new.removed_at is not null) execute function signal_removal()`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
