import { type Kysely, sql } from 'kysely';

/** MCP servers whose tools the agent can call; those of `*` are shared with all users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mcp_servers (
      id uuid not null unique,
      user_id text not null check (user_id <> ''),
      name text not null,
      url text not null,
      private_network boolean not null,
      trust_annotations boolean not null,
      headers json not null,
      discovery json not null,
      tools json not null,
      left_out json not null,
      accepted json not null,
      problem text,
      failures integer not null default 0,
      listed_at timestamptz not null default now(),
      refresh_at timestamptz not null,
      created_at timestamptz not null default now(),
      primary key (user_id, name)
    )`.execute(db);
  await sql`alter table mcp_servers enable row level security`.execute(db);
  await sql`alter table mcp_servers force row level security`.execute(db);
  await sql`
    create policy owner on mcp_servers using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
  await sql`
    create table mcp_version (
      one boolean primary key default true check (one),
      changed_at timestamptz not null default clock_timestamp()
    )`.execute(db);
}

export const worksWith = '0022-sign-in-codes';
