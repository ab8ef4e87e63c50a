import { type Kysely, sql } from 'kysely';

/**
 * The functions that run turns keep their plans. A plan made while the tables are small reads them whole, and stays in use
 * until the next ANALYZE; so these functions are planned without sequential scans. All they read has an index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['accept_turns', 'append_items', 'settle_turns', 'claim_turns', 'bury_replicas'])
    await sql`alter function ${sql.id(name)} set enable_seqscan = off`.execute(db);

  // Before version 18, PostgreSQL plans a function in SQL again for each call; one in PL/pgSQL keeps its plan.
  const { rows } = await sql<{
    body: string;
  }>`select prosrc as body from pg_proc where oid = 'turn_context'::regproc`.execute(db);
  await sql
    .raw(
      `create or replace function turn_context(given_user text, given_thread uuid, given_seq integer) returns json
       language plpgsql stable as $$ begin return (${rows[0]?.body}); end $$`,
    )
    .execute(db);
}

export const worksWith = '0022-sign-in-codes';
