import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/** Temporary threads, and ratings of answers. A replica of the version before treats temporary threads like any others. */
export const worksWith = '0100-baseline';

export const indexes = ['threads_temporary on threads (updated_at) where temporary'];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table threads add column temporary boolean not null default false`.execute(db);
  for (const statement of RATINGS) await sql.raw(statement).execute(db);
  await installFunctions(db, functions);
}

// What the owner of a turn thinks of its answer.
const RATINGS = [
  `create table ratings (
    turn_id uuid primary key references turns (id) on delete cascade,
    thread_id uuid not null references threads (id) on delete cascade,
    user_id text not null,
    rating text not null check (rating in ('good', 'bad')),
    reason text,
    updated_at timestamptz not null default now()
  )`,
  'create index ratings_by_thread on ratings (thread_id)',
  'create index ratings_by_user on ratings (user_id)',
  'alter table ratings enable row level security, force row level security',
  `create policy owner on ratings using (
    user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on')`,
];

export const functions = {
  'engine/accept_turns': '97a66fcfc5c7',
  'engine/thread_context': '63a005491e2d',
  'lifecycle/delete_idle_threads': '45e11e318151',
  'lifecycle/erase_threads': 'a63619016335',
  'lifecycle/purge_temporary': '76a677bbfe18',
  'lifecycle/purge_threads': '7783109701df',
};
