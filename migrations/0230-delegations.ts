import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/**
 * Children: runs that belong to one call of another run. A replica of the version before takes none of their turns, nor those of
 * the runs that wait for them: it knows only the older signature of `claim_turns`, which leaves them out.
 */
export const worksWith = '0100-baseline';

export const indexes = ['threads_by_root on threads (root) where root is not null'];

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null and 0, except for the threads of children. `root`: the thread above that is no child.
  await sql`alter table threads add column parent uuid, add column root uuid, add column depth smallint not null default 0`.execute(
    db,
  );
  // The run that is the root of the tree; null for turns that have no children and are none.
  await sql`alter table turns add column tree uuid`.execute(db);
  for (const statement of DELEGATIONS) await sql.raw(statement).execute(db);
  await installFunctions(db, functions);
  for (const statement of TRIGGERS) await sql.raw(statement).execute(db);
}

// `call` is the item of the call, `thread_id` and `run` are its thread and its run. `waiting`: the child waits for a person. The
// limits are set aside from those of the run that started it; `tokens_used` includes what the children of the child have used.
const DELEGATIONS = [
  `create table delegations (
    call uuid primary key,
    user_id text not null,
    thread_id uuid not null references threads (id) on delete cascade,
    run uuid not null,
    tree uuid not null,
    child_thread_id uuid not null,
    child_run uuid not null unique,
    state text not null default 'active' check (state in ('active', 'waiting', 'ended')),
    outcome text check (outcome in ('completed', 'incomplete', 'failed', 'cancelled', 'deleted')),
    tokens_limit bigint not null,
    usd_limit double precision,
    tokens_used bigint not null default 0,
    usd_used double precision not null default 0,
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    delivered_at timestamptz
  )`,
  'create index delegations_by_run on delegations (run)',
  'create index delegations_by_tree on delegations (tree)',
  'create index delegations_by_thread on delegations (thread_id)',
  'create index delegations_by_child on delegations (child_thread_id)',
  `create index delegations_unfinished on delegations (started_at) where state <> 'ended'`,
  'alter table delegations enable row level security, force row level security',
  `create policy owner on delegations using (
    user_id = (select current_setting('app.user_id', true)) or (select current_setting('app.engine', true)) = 'on')`,
];

const TRIGGERS = [
  `create trigger join_tree before insert on turns for each row
    when (new.run is not null and new.tree is null) execute function join_tree()`,
  `create trigger end_delegation after update of status on turns for each row
    when (new.tree is not null and old.status is distinct from new.status and new.status not in ('queued', 'running'))
    execute function end_delegation()`,
  `create trigger lose_delegation after delete on turns for each row
    when (old.tree is not null) execute function lose_delegation()`,
];

export const functions = {
  'engine/append_items': '0017dcd3a6c2',
  'engine/claim_turns': '0891409a17e1',
  'engine/claim_turns_with_trees': '7a67fb548716',
  'engine/end_delegation': 'ce0c3b5703ec',
  'engine/join_tree': '767297419f34',
  'engine/lose_delegation': '513bd45c7789',
  'engine/park_turn': '5bdb20d74598',
  'engine/settle_turns': '8c792f12e321',
  'engine/start_delegations': 'ee19b87db72c',
  'engine/wake_parent': '6791a438c32c',
  'lifecycle/delete_idle_threads': '8f74e1bffb0b',
  'lifecycle/erase_threads': '79e52244306f',
  'store/start_missions': 'b2c88ade1fdb',
};
