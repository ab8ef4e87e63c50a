import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/** Assistants with their versions. A replica of the version before runs a turn of an assistant like any other. */
export const worksWith = '0100-baseline';

export const indexes = ['turns_by_assistant on turns (assistant) where assistant is not null'];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...ASSISTANTS, ...WORK_DAYS, ...CHOICES]) await sql.raw(statement).execute(db);
  await installFunctions(db, functions);
}

const ownerOf = (table: string) => [
  `alter table ${table} enable row level security, force row level security`,
  `create policy owner on ${table} using (
    user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on')`,
];
const readableByAll = (table: string) => `create policy shared on ${table} for select using (user_id = '*')`;

// The user '*' has those of the operator, which everyone may use. One that was deleted stays while a turn names it, and its name is free.
const ASSISTANTS = [
  `create table assistants (
    id uuid primary key,
    user_id text not null check (user_id <> ''),
    name text not null,
    version integer not null,
    created_at timestamptz not null default now(),
    deleted_at timestamptz
  )`,
  'create unique index assistants_by_name on assistants (user_id, name) where deleted_at is null',
  'create index assistants_deleted on assistants (deleted_at) where deleted_at is not null',
  `create table assistant_versions (
    assistant uuid not null references assistants (id) on delete cascade,
    version integer not null,
    user_id text not null,
    description text not null,
    settings json not null,
    written_by text not null,
    written_at timestamptz not null default now(),
    primary key (assistant, version)
  )`,
  'create index assistant_versions_by_user on assistant_versions (user_id)',
  ...['assistants', 'assistant_versions'].flatMap((table) => [...ownerOf(table), readableByAll(table)]),
  // No foreign key: an assistant of the operator stays behind when a user moves to another cell.
  'alter table turns add column assistant uuid',
];

// What turns with settings of their own have used on a day, for the budgets of those settings. `part` as in usage_days.
const WORK_DAYS = [
  `create table work_days (
    user_id text not null,
    day date not null,
    work uuid not null,
    part smallint not null,
    tokens bigint not null,
    usd float8 not null,
    primary key (user_id, day, work, part)
  ) with (fillfactor=50)`,
  'create index work_days_by_day on work_days (day)',
  'alter table work_days enable row level security, force row level security',
  `create policy engine on work_days using ((select current_setting('app.engine', true)) = 'on')`,
  `create policy owner on work_days for select using (user_id = (select current_setting('app.user_id', true)))`,
];

// By name, so that an assistant that is deleted and made again is found.
const CHOICES = [
  'alter table missions add column assistant text',
  'alter table webhook_routes add column assistant text',
  'alter table chat_accounts add column assistant text',
  // What a chat has chosen; empty for none. It may choose before it has a thread.
  'alter table chat_threads add column assistant text, alter column thread_id drop not null',
];

export const functions = {
  'engine/accept_turns': '6b1871e609f7',
  'engine/count_calls': 'd480df572d67',
};
