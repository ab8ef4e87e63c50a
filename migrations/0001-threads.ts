import { type Kysely, sql } from 'kysely';

/** Threads, their turns and items, and their gates. Each row has its owner, for row-level security. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Bodies are `json`, not `jsonb`: no query looks inside them, and jsonb refuses \u0000 and lone surrogates.
  await sql`
    create table threads (
      id uuid primary key,
      user_id text not null,
      last_seq integer not null,
      active uuid,
      catalog json not null default '[]',
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    ) with (fillfactor = 80)`.execute(db);
  await sql`create index threads_by_user on threads (user_id, id)`.execute(db);

  await sql`
    create table turns (
      id uuid primary key,
      thread_id uuid not null references threads on delete cascade,
      user_id text not null,
      seq integer not null,
      status text not null default 'queued'
        check (status in ('queued', 'running', 'waiting', 'completed', 'incomplete', 'failed', 'cancelled')),
      channel text not null,
      request json not null,
      failure json,
      refused boolean not null default false,
      usage json,
      cancel_reason text check (cancel_reason in ('cancelled', 'turn_timeout')),
      runner uuid,
      attempt integer not null default -1,
      attempt_base integer not null default 0,
      handback integer not null default 0,
      trial integer,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      ended_at timestamptz,
      unique (thread_id, seq)
    ) with (fillfactor = 80)`.execute(db);
  await sql`create index turns_live on turns (status, runner) where status in ('queued', 'running')`.execute(db);
  await sql`create index turns_refused on turns (thread_id, seq) where refused`.execute(db);

  // No foreign key: items are written only together with a turn, or fenced by one, that has a foreign key.
  await sql`
    create table items (
      thread_id uuid not null,
      turn_seq integer not null,
      position integer not null,
      id uuid not null unique,
      turn_id uuid not null,
      user_id text not null,
      attempt integer,
      body json not null,
      usage json,
      started_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (thread_id, turn_seq, position)
    ) with (fillfactor = 90)`.execute(db);

  await sql`
    create table gates (
      id uuid primary key,
      thread_id uuid not null references threads on delete cascade,
      turn_id uuid not null,
      turn_seq integer not null,
      user_id text not null,
      kind text not null check (kind in ('external-tool', 'approval', 'auth', 'pairing')),
      call json not null,
      created_at timestamptz not null default now(),
      answered_at timestamptz,
      answered_seq integer
    )`.execute(db);
  await sql`create unique index gates_open on gates (thread_id) where answered_at is null`.execute(db);
  await sql`create index gates_by_thread on gates (thread_id, turn_seq)`.execute(db);

  for (const table of ['threads', 'turns', 'items', 'gates']) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
    await sql`alter table ${sql.table(table)} force row level security`.execute(db);
    await sql`
      create policy owner on ${sql.table(table)} using (
        user_id = (select current_setting('app.user_id', true))
        or (select current_setting('app.engine', true)) = 'on'
      )`.execute(db);
  }
}
