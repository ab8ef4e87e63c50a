import { type Kysely, sql } from 'kysely';

/** The turn of a caller's idempotency key, and the digest of the body that came with it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table idempotency_keys (
      user_id text not null,
      key text not null,
      digest text not null,
      turn_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (user_id, key)
    )`.execute(db);
  await sql`create index idempotency_keys_by_age on idempotency_keys (created_at)`.execute(db);
  await sql`alter table idempotency_keys enable row level security`.execute(db);
  await sql`alter table idempotency_keys force row level security`.execute(db);
  await sql`
    create policy owner on idempotency_keys using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
}
