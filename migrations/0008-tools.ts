import { type Kysely, sql } from 'kysely';

/** Installed tools, which belong to the whole installation. Their code is stored here too, so that every replica has it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table component_files (
      hash text not null,
      path text not null,
      content bytea not null,
      primary key (hash, path)
    )`.execute(db);
  await sql`alter table component_files alter column content set storage external`.execute(db);

  await sql`
    create table tools (
      name text primary key,
      hash text not null,
      wit_version text not null,
      description text not null,
      parameters json not null,
      capabilities json not null,
      revision uuid not null,
      installed_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db);
}
