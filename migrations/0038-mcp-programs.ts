import { type Kysely, sql } from 'kysely';

/** MCP servers that the service starts as programs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table mcp_servers add column command json`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
