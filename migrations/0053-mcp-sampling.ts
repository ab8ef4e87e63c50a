import { type Kysely, sql } from 'kysely';

/** Whether the operator allows a server to use the model of the user whose call it runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table mcp_servers add column sampling boolean not null default false`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
