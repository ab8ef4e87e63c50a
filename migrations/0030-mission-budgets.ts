import { type Kysely, sql } from 'kysely';

/** Budgets of missions in US dollars, besides those in tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table missions
      add column usd_per_run double precision check (usd_per_run > 0),
      add column usd_per_day double precision check (usd_per_day > 0)`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
