import { type Kysely, sql } from 'kysely';

/**
 * How users sign in to an MCP server. Tokens are secrets of the users, named after the server; removing the server
 * removes them all.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table mcp_servers add column oauth json`.execute(db);
  // The setting is made inside the function: only a superuser may attach a custom setting to a function.
  await sql`
    create function remove_mcp_tokens() returns trigger language plpgsql as $$
    declare
      mark text := coalesce(current_setting('app.engine', true), '');
    begin
      perform set_config('app.engine', 'on', true);
      delete from secrets where name in (
        'mcp.' || old.id || '.token', 'mcp.' || old.id || '.token:grant', 'mcp.' || old.id || '.token:sign-in',
        'mcp.' || old.id || '.token:client');
      perform set_config('app.engine', mark, true);
      return old;
    end
    $$`.execute(db);
  await sql`
    create trigger remove_tokens after delete on mcp_servers
    for each row execute function remove_mcp_tokens()`.execute(db);
}

export const indexes = ["secrets_of_mcp_servers on secrets (name) where name like 'mcp.%'"];

export const worksWith = '0022-sign-in-codes';
