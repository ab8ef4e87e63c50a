import { type Kysely, sql } from 'kysely';

/** Webhook jobs, the callers' names for their threads, and the routes for events of other senders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A job has the ID of its first turn; `turn_id` is the turn it has reached through gates.
  await sql`
    create table jobs (
      id uuid primary key,
      user_id text not null,
      thread_id uuid not null,
      turn_id uuid not null unique,
      status text not null default 'queued' check (status in ('queued', 'running', 'completed')),
      waiting_on text,
      failure json,
      conversation_id text,
      metadata json,
      created_at timestamptz not null default now(),
      completed_at timestamptz,
      callback_url text,
      callback_status text check (callback_status in ('pending', 'delivered', 'dead')),
      callback_attempts integer not null default 0,
      callback_due_at timestamptz,
      callback_error text
    ) with (fillfactor = 80)`.execute(db);
  await sql`create index jobs_by_user on jobs (user_id, id)`.execute(db);
  await sql`create index jobs_by_age on jobs (completed_at) where completed_at is not null`.execute(db);
  await sql`
    create index jobs_to_call_back on jobs (callback_due_at)
    where callback_status = 'pending' and status = 'completed'`.execute(db);

  await sql`
    create table conversations (
      user_id text not null,
      name text not null,
      thread_id uuid not null unique,
      created_at timestamptz not null default now(),
      primary key (user_id, name)
    )`.execute(db);

  await sql`
    create table webhook_routes (
      name text primary key,
      verifier text not null,
      header text,
      webhook_user text not null,
      message text not null,
      conversation text,
      created_at timestamptz not null default now()
    )`.execute(db);

  for (const table of ['jobs', 'conversations']) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
    await sql`alter table ${sql.table(table)} force row level security`.execute(db);
    await sql`
      create policy owner on ${sql.table(table)} using (
        user_id = (select current_setting('app.user_id', true))
        or (select current_setting('app.engine', true)) = 'on'
      )`.execute(db);
  }
  // The channel manages the jobs of all users; the operator can see them all.
  await sql`create policy channel on jobs using ((select current_setting('app.user_id', true)) = 'webhook')`.execute(
    db,
  );
  await sql`
    create policy operator on jobs for select using ((select current_setting('app.user_id', true)) = 'operator')`.execute(
    db,
  );

  // A gate that is not answered in time ends its turn with the code of the missing answer.
  await sql`alter table turns drop constraint turns_cancel_reason_check`.execute(db);
  await sql`
    alter table turns add constraint turns_cancel_reason_check check (cancel_reason in (
      'cancelled', 'turn_timeout', 'tool_output_missing', 'approval_required', 'authentication_required', 'pairing_required'
    ))`.execute(db);
}
