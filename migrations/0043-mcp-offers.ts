import { type Kysely, sql } from 'kysely';

/** What MCP servers offer besides tools, and whether the operator lets a server use the model. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table mcp_servers
      add column offers json not null default '{"resources":false,"prompts":[]}',
      add column allow_sampling boolean not null default false`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
