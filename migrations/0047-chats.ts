import { type Kysely, sql } from 'kysely';

/**
 * Chat channels: accounts on chat platforms, the people who use them, an inbox of updates that each become at most one turn, and the
 * messages that were sent. The ends of turns that came from a chat are announced, so that their replies are delivered.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `poller`: the replica that asks the platform for updates. `cursor`: how far the updates are stored.
  await sql`
    create table chat_accounts (
      id uuid primary key,
      channel text not null,
      remote_id text not null,
      name text not null,
      mode text not null check (mode in ('polling', 'webhook')),
      groups boolean not null,
      secret_hash bytea,
      cursor text,
      poller uuid,
      leased_until timestamptz,
      last_error text,
      failed_at timestamptz,
      received_at timestamptz,
      created_at timestamptz not null default now(),
      unique (channel, remote_id)
    )`.execute(db);

  // `sender`: the person's id on the platform. `chat`: where the person alone is reached.
  await sql`
    create table chat_links (
      account_id uuid not null references chat_accounts on delete cascade,
      sender text not null,
      user_id text not null,
      name text not null,
      chat text not null,
      created_at timestamptz not null default now(),
      primary key (account_id, sender)
    )`.execute(db);
  await sql`create index chat_links_by_user on chat_links (user_id)`.execute(db);

  await sql`
    create table chat_codes (
      hash bytea primary key,
      user_id text not null,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index chat_codes_by_user on chat_codes (user_id)`.execute(db);

  // The thread that a person's next message in a chat continues.
  await sql`
    create table chat_threads (
      account_id uuid not null references chat_accounts on delete cascade,
      chat text not null,
      user_id text not null,
      thread_id uuid not null,
      primary key (account_id, chat, user_id)
    )`.execute(db);
  await sql`create index chat_threads_by_user on chat_threads (user_id)`.execute(db);

  // Updates of one lane are handled one at a time, in the order of `position`. The body goes when the update is done.
  await sql`
    create table chat_inbox (
      id uuid primary key,
      account_id uuid not null references chat_accounts on delete cascade,
      remote_id text not null,
      lane text not null,
      position bigint not null,
      sender text,
      user_id text,
      body json,
      state text not null default 'new' check (state in ('new', 'done', 'failed')),
      tries integer not null default 0,
      due_at timestamptz not null default now(),
      turn_id uuid,
      error text,
      received_at timestamptz not null default clock_timestamp(),
      ended_at timestamptz,
      unique (account_id, remote_id)
    ) with (fillfactor = 80)`.execute(db);
  await sql`create index chat_inbox_open on chat_inbox (account_id, lane, position) where state = 'new'`.execute(db);
  await sql`create index chat_inbox_due on chat_inbox (due_at) where state = 'new'`.execute(db);
  await sql`create index chat_inbox_by_age on chat_inbox (ended_at) where ended_at is not null`.execute(db);
  await sql`create index chat_inbox_by_user on chat_inbox (user_id) where user_id is not null`.execute(db);

  // `key`: the turn or the delivery that a message shows. `claimed_until`: a replica is sending it. `live_until`: a replica edits it.
  await sql`
    create table chat_messages (
      key uuid not null,
      part integer not null,
      user_id text not null,
      remote_id text,
      claimed_until timestamptz,
      live_until timestamptz,
      is_final boolean not null default false,
      is_shown boolean not null default false,
      created_at timestamptz not null default now(),
      primary key (key, part)
    ) with (fillfactor = 70)`.execute(db);
  await sql`create index chat_messages_by_user on chat_messages (user_id)`.execute(db);
  await sql`create index chat_messages_by_age on chat_messages (created_at)`.execute(db);

  for (const table of ['chat_links', 'chat_codes', 'chat_threads', 'chat_inbox', 'chat_messages']) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
    await sql`alter table ${sql.table(table)} force row level security`.execute(db);
    await sql`
      create policy owner on ${sql.table(table)} using (
        user_id = (select current_setting('app.user_id', true))
        or (select current_setting('app.engine', true)) = 'on'
      )`.execute(db);
  }
  // Removing a user also removes the links to them.
  for (const table of ['chat_links', 'chat_codes'])
    await sql`
      create policy identities on ${sql.table(table)} using ((select current_setting('app.identities', true)) = 'on')`.execute(
      db,
    );
  for (const statement of [TAKE, 'drop trigger announce_turn on turns', TURN_TRIGGER])
    await sql.raw(statement).execute(db);
}

export const worksWith = '0022-sign-in-codes';

/** Leases the first update of each lane that is due. It stays `new`, and so holds up the later ones of its lane, until it is ended. */
const TAKE = `
create function take_updates(room integer, lease interval) returns setof chat_inbox language plpgsql set enable_seqscan = off as $$
begin
  return query
  with due as (
    select id from chat_inbox as given where state = 'new' and due_at <= now() and not exists (
      select from chat_inbox as earlier where earlier.state = 'new' and earlier.account_id = given.account_id
        and earlier.lane = given.lane and earlier.position < given.position)
    order by due_at limit room for update skip locked
  )
  update chat_inbox set due_at = now() + lease, tries = chat_inbox.tries + 1, user_id = (
    select links.user_id from chat_links as links
    where links.account_id = chat_inbox.account_id and links.sender = chat_inbox.sender)
  from due where chat_inbox.id = due.id returning chat_inbox.*;
end $$`;

/** Every way in but these gets its replies by deliveries. */
const TURN_TRIGGER = `
create trigger announce_turn after update of status on turns for each row
when (old.status is distinct from new.status and (new.status = 'waiting'
  or new.channel not in ('responses', 'chat-completions', 'gateway', 'mission')
    and new.status in ('completed', 'incomplete', 'failed', 'cancelled')))
execute function announce_turn()`;
