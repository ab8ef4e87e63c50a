import { type Kysely, sql } from 'kysely';

/**
 * A signature without a timestamp never expires, so the deliveries that had one must be remembered without limit. The other
 * keys expire after a day; their index contains only them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table idempotency_keys add column is_lasting boolean not null default false`.execute(db);
  await sql`drop index idempotency_keys_by_age`.execute(db);
  await sql`create index idempotency_keys_by_age on idempotency_keys (created_at) where not is_lasting`.execute(db);
}
