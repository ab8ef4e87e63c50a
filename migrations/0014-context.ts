import { type Kysely, sql } from 'kysely';

/** Summaries of the older parts of threads, the usage of model calls, and spending limits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A summary replaces all items up to its position in prompts; the items stay stored. `turn_seq` is the turn that made it.
  await sql`
    create table summaries (
      thread_id uuid not null references threads on delete cascade,
      through_seq integer not null,
      through_position integer not null,
      user_id text not null,
      turn_seq integer not null,
      turn_id uuid not null,
      text text not null,
      provider text not null,
      model text not null,
      usage json not null,
      created_at timestamptz not null default now(),
      primary key (thread_id, through_seq, through_position)
    )`.execute(db);

  // Daily sums, so that today's usage is in a few rows. `part` spreads the replicas over rows, so that they don't wait for each other.
  await sql`
    create table usage_days (
      user_id text not null,
      day date not null,
      provider text not null,
      model text not null,
      part smallint not null,
      calls integer not null,
      errors integer not null,
      unpriced_calls integer not null,
      input_tokens bigint not null,
      cached_input_tokens bigint not null,
      output_tokens bigint not null,
      cost_usd double precision not null,
      milliseconds bigint not null,
      primary key (user_id, day, provider, model, part)
    ) with (fillfactor = 50)`.execute(db);

  // A user's own limits, which replace the default ones; null means no limit.
  await sql`
    create table budgets (
      user_id text primary key,
      tokens_per_day bigint check (tokens_per_day >= 0),
      usd_per_day double precision check (usd_per_day >= 0),
      updated_at timestamptz not null default now()
    )`.execute(db);

  for (const table of ['summaries', 'usage_days', 'budgets']) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
    await sql`alter table ${sql.table(table)} force row level security`.execute(db);
    await sql`
      create policy engine on ${sql.table(table)} using (
        (select current_setting('app.engine', true)) = 'on'
      )`.execute(db);
    await sql`
      create policy owner on ${sql.table(table)} for select using (
        user_id = (select current_setting('app.user_id', true))
      )`.execute(db);
  }
  await sql`
    create policy operator on usage_days for select using (
      (select current_setting('app.user_id', true)) = 'operator'
    )`.execute(db);
  await sql`
    create policy operator on budgets using ((select current_setting('app.user_id', true)) = 'operator')`.execute(db);
}
