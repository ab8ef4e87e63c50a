import { type Kysely, sql } from 'kysely';

/** When a replica is declared dead, the updates that it was handling are handled again at once, instead of when their lease ends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chat_inbox add column handler uuid`.execute(db);
  await sql`drop function take_updates(integer, interval)`.execute(db);
  for (const statement of [TAKE, RELEASE]) await sql.raw(statement).execute(db);
  await sql`
    create trigger release_updates after delete on replicas for each row execute function release_updates()`.execute(
    db,
  );
}

/** Leases the first update of each lane that is due. It stays `new`, and so holds up the later ones of its lane, until it is ended. */
const TAKE = `
create function take_updates(room integer, lease interval, replica uuid default null)
returns setof chat_inbox language plpgsql set enable_seqscan = off as $$
begin
  return query
  with due as (
    select id from chat_inbox as given where state = 'new' and due_at <= now() and not exists (
      select from chat_inbox as earlier where earlier.state = 'new' and earlier.account_id = given.account_id
        and earlier.lane = given.lane and earlier.position < given.position)
    order by due_at limit room for update skip locked
  )
  update chat_inbox set due_at = now() + lease, tries = chat_inbox.tries + 1, handler = replica, user_id = (
    select links.user_id from chat_links as links
    where links.account_id = chat_inbox.account_id and links.sender = chat_inbox.sender)
  from due where chat_inbox.id = due.id returning chat_inbox.*;
end $$`;

/** Rows that are locked are left to the lease, so that this never waits for an update. */
const RELEASE = `
create function release_updates() returns trigger language plpgsql as $$
begin
  update chat_inbox set due_at = now() where id in (
    select id from chat_inbox where handler = old.id and state = 'new' for update skip locked);
  return null;
end $$`;

export const indexes = [`chat_inbox_handled on chat_inbox (handler) where state = 'new'`];

export const worksWith = '0022-sign-in-codes';
