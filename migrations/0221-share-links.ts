import { type Kysely, sql } from 'kysely';

/** The links of shared threads, encrypted for their owners. A replica of the version before leaves them out. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table shares add column sealed_link bytea`.execute(db);
}
