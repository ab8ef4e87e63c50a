import { type Kysely, sql } from 'kysely';

/** The agent's notes for each user: texts by path, found by their words and by their meaning. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notes (
      number bigint generated always as identity primary key,
      user_id text not null,
      path text not null,
      text text not null,
      word_count integer not null,
      signature bit varying,
      embedding real[],
      embedding_model text not null default '',
      embed_attempts integer not null default 0,
      embed_due_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (user_id, path)
    )`.execute(db);
  await sql`create index notes_by_age on notes (user_id, updated_at)`.execute(db);
  await sql`create index notes_by_embedding on notes (embedding_model, user_id, embed_due_at)`.execute(db);

  // The notes that contain a word. An index over tsvectors would do, but under row-level security no query can use it.
  await sql`
    create table note_words (
      user_id text not null,
      word text not null,
      note bigint not null,
      primary key (user_id, word, note)
    )`.execute(db);
  // Both forms of a word: unchanged, for names and other languages, and stemmed as English.
  await sql`
    create function note_lexemes(given text) returns setof text language sql immutable as $$
      select lexeme from unnest(tsvector_to_array(
        to_tsvector('pg_catalog.simple'::regconfig, given) || to_tsvector('pg_catalog.english'::regconfig, given)
      )) as lexeme
      where length(lexeme) <= 100
    $$`.execute(db);

  for (const table of ['notes', 'note_words']) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
    await sql`alter table ${sql.table(table)} force row level security`.execute(db);
    await sql`
      create policy owner on ${sql.table(table)} using (
        user_id = (select current_setting('app.user_id', true))
        or (select current_setting('app.engine', true)) = 'on'
      )`.execute(db);
  }
  // The default agent identity for users without their own.
  await sql`
    create policy default_identity on notes for select using (user_id = 'operator' and path = 'identity/agent')`.execute(
    db,
  );
}
