import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/**
 * Folders become projects: with settings, instructions, notes, files and members. A replica of the version before sees them as folders,
 * also those that others share, and runs their turns without instructions.
 */
export const worksWith = '0100-baseline';

export const indexes = ['workspaces_by_project on workspaces (user_id, project_id) where project_id is not null'];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...FOLDERS, ...MEMBERS, ...NOTES, ...FILES]) await sql.raw(statement).execute(db);
  await installFunctions(db, functions);
}

// A project is a row of each person who has threads in it, all with the same id: its name and settings are theirs alone. `shared_by`: the
// owner, in the row of a member. What is shared belongs to the row of the owner. A row whose membership has ended is a project of its own.
const FOLDERS = [
  `alter table folders add column shared_by text, add column model text,
    add column tokens_per_run integer, add column tokens_per_day integer, add column usd_per_run float8, add column usd_per_day float8`,
];

// `user_id` is the owner. `name` is the owner's name of the project, which the member sees until they choose another one.
const MEMBERS = [
  `create table project_members (
    user_id text not null,
    project_id uuid not null,
    member text not null,
    role text not null check (role in ('read', 'write')),
    name text not null,
    added_at timestamptz not null default now(),
    primary key (user_id, project_id, member),
    foreign key (user_id, project_id) references folders (user_id, id) on delete cascade,
    check (member <> user_id)
  )`,
  'create index project_members_by_member on project_members (member)',
  'alter table project_members enable row level security, force row level security',
  `create policy owner on project_members using (
    user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on')`,
  `create policy member_read on project_members for select using (member = (select current_setting('app.user_id', true)))`,
  `create policy member_leave on project_members for delete using (member = (select current_setting('app.user_id', true)))`,
];

// The note with an empty path are the instructions. `written_by`: null when that person was erased. A member can't sign a text with
// another name: who wrote a text decides whether it counts as a text by others.
const isMember = (role: string) => `exists (select from project_members as m
    where m.user_id = project_notes.user_id and m.project_id = project_notes.project_id
      and m.member = (select current_setting('app.user_id', true))${role})`;
const canWrite = isMember(` and m.role = 'write'`);
const isSigned = `written_by = (select current_setting('app.user_id', true))`;
const NOTES = [
  `create table project_notes (
    user_id text not null,
    project_id uuid not null,
    path text not null,
    text text not null,
    written_by text,
    updated_at timestamptz not null default now(),
    primary key (user_id, project_id, path),
    foreign key (user_id, project_id) references folders (user_id, id) on delete cascade
  )`,
  'create index project_notes_by_author on project_notes (written_by)',
  'alter table project_notes enable row level security, force row level security',
  `create policy owner on project_notes using (
    user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on')`,
  `create policy member_read on project_notes for select using (${isMember('')})`,
  `create policy member_insert on project_notes for insert with check (${isSigned} and ${canWrite})`,
  `create policy member_update on project_notes for update using (${canWrite}) with check (${isSigned} and ${canWrite})`,
  `create policy member_delete on project_notes for delete using (${canWrite})`,
];

const FILES = [
  `alter table workspaces add column project_id uuid,
    add constraint workspaces_project foreign key (user_id, project_id) references folders (user_id, id) on delete cascade not valid`,
];

export const functions = {
  'engine/project_context': 'ddf49d331f08',
  'engine/accept_turns': 'b62f929b67e2',
  'engine/thread_context': '0c5d114bfab3',
  'lifecycle/erase_mentions': 'ef54dae54aeb',
  'store/give_projects': 'a58bef24edbc',
};
