import { type Kysely, sql } from 'kysely';

/** Settings that the operator changes while the service runs, such as the named model routes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table settings (
      name text primary key,
      value json not null,
      updated_at timestamptz not null default now()
    )`.execute(db);
}
