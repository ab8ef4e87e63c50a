import { type Kysely, sql } from 'kysely';

/** What MCP servers offer besides tools. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table mcp_servers
      add column offers json not null default '{"resources":false,"prompts":[]}'`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
