import { type Kysely, sql } from 'kysely';

/** What runs of missions have ended with, and whether their owner has read it. Runs before this version count as read. */
export const worksWith = '0100-baseline';

export const indexes = [
  'occurrences_unread on occurrences (user_id) where unread',
  `occurrences_results on occurrences (user_id, ended_at, mission_id, slot) where state in ('completed', 'failed')`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  // A replica of the version before ends runs as read.
  await sql`alter table occurrences add column unread boolean not null default false`.execute(db);
}
