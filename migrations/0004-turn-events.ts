import { type Kysely, sql } from 'kysely';

/** The events that watchers of a turn see. Unlogged: a crash of PostgreSQL empties it, and replays are then made from the items. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table turn_events (
      turn_id uuid not null,
      first bigint not null,
      last bigint not null,
      events json not null,
      created_at timestamptz not null default now(),
      primary key (turn_id, first)
    )`.execute(db);
  await sql`create index turn_events_by_age on turn_events using brin (created_at)`.execute(db);
  await sql`alter table turn_events enable row level security`.execute(db);
  await sql`alter table turn_events force row level security`.execute(db);
  await sql`
    create policy engine on turn_events using ((select current_setting('app.engine', true)) = 'on')`.execute(db);
}
