import { type Kysely, sql } from 'kysely';

/** The assistant that answers in new threads of a project, by its name. A replica of the version before begins them without it. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table folders add column assistant text`.execute(db);
}
