import { type Kysely, sql } from 'kysely';

/**
 * The uses of each rate-limited caller: how many in each time slot, oldest slot first. Unlogged: a crash of PostgreSQL
 * only starts new windows. It replaces `rate_limits`, which stays for replicas of the previous version during an upgrade.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table rate_windows (
      key text primary key,
      slots bigint[] not null,
      counts integer[] not null,
      is_allowed boolean not null,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index rate_windows_by_expiry on rate_windows (expires_at)`.execute(db);
}
