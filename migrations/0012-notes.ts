import { type Kysely, sql } from 'kysely';

/** What the agent remembers for each user: texts by path, found by their words and by their meaning. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Both spellings of a word: as it stands, for names and other languages, and as English stems it.
  await sql`
    create table notes (
      user_id text not null,
      path text not null,
      text text not null,
      words tsvector not null generated always as (
        to_tsvector('pg_catalog.simple'::regconfig, translate(path, '/-_.', '    ') || ' ' || text)
        || to_tsvector('pg_catalog.english'::regconfig, translate(path, '/-_.', '    ') || ' ' || text)
      ) stored,
      signature bit varying,
      embedding real[],
      embedding_model text not null default '',
      embed_attempts integer not null default 0,
      embed_due_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (user_id, path)
    )`.execute(db);
  await sql`create index notes_by_age on notes (user_id, updated_at)`.execute(db);
  await sql`create index notes_by_embedding on notes (embedding_model, user_id, embed_due_at)`.execute(db);

  await sql`alter table notes enable row level security`.execute(db);
  await sql`alter table notes force row level security`.execute(db);
  await sql`
    create policy owner on notes using (
      user_id = (select current_setting('app.user_id', true))
      or (select current_setting('app.engine', true)) = 'on'
    )`.execute(db);
  // Who the agent is to those who have not said it themselves.
  await sql`
    create policy default_identity on notes for select using (user_id = 'operator' and path = 'identity/agent')`.execute(
    db,
  );
}
