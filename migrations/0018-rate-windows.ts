import { type Kysely, sql } from 'kysely';

/**
 * When each caller has used what is limited: how many uses in which slot of time, the oldest slot first. Unlogged: a crash
 * of PostgreSQL only gives everybody a new window. It takes over from `rate_limits`, which stays for replicas of the
 * version before while they are being replaced.
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
