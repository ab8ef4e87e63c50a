import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/** Versions of notes. What a replica of the version before writes gets one, too: a trigger writes all of them. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of VERSIONS) await sql.raw(statement).execute(db);
  await installFunctions(db, functions);
  for (const statement of TRIGGERS) await sql.raw(statement).execute(db);
}

// A version without a text is a deletion. `call` is the call of a tool that wrote it: an attempt that comes after a crash writes no other.
// A note that is older than this table has no version until it is changed.
const VERSIONS = [
  `create table note_versions (
    user_id text not null,
    path text not null,
    version integer not null,
    text text,
    origin text not null,
    written_by text not null check (written_by in ('person', 'agent', 'unknown')),
    thread_id uuid,
    turn_id uuid,
    call text,
    sources jsonb not null default '[]',
    written_at timestamptz not null default now(),
    primary key (user_id, path, version)
  )`,
  'create unique index note_versions_by_call on note_versions (user_id, call) where call is not null',
  'create index note_versions_by_age on note_versions (written_at)',
  'create index note_versions_deleted on note_versions (user_id, written_at) where text is null',
  'alter table note_versions enable row level security, force row level security',
  `create policy owner on note_versions using (
    user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on')`,
  `alter table retention drop constraint retention_kind_check, add constraint retention_kind_check check (
    kind in ('threads', 'versions', 'notes', 'jobs', 'deliveries', 'occurrences', 'usage', 'audit'))`,
];

// Only changes of the owner are versions: an archive, a move and an erasure carry the versions themselves.
const isOwners = (row: 'new' | 'old') => `${row}.user_id = current_setting('app.user_id', true)`;
const TRIGGERS = [
  `create trigger keep_first_version after insert on notes for each row
    when (${isOwners('new')}) execute function keep_note_version()`,
  `create trigger keep_version after update of text, origin on notes for each row
    when (${isOwners('new')} and (old.text, old.origin) is distinct from (new.text, new.origin))
    execute function keep_note_version()`,
  `create trigger keep_deletion after delete on notes for each row
    when (${isOwners('old')}) execute function keep_note_version()`,
];

export const functions = {
  'store/keep_note_version': '33eb1b314b4b',
};
