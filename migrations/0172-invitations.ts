import { type Kysely, sql } from 'kysely';

/** Invitations by link, and a signal when a role changes. A replica of the version before ignores both. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

// `user_id` is the operator who invites: an invitation goes with them. No foreign key: the operator of the static tokens has no row.
const STATEMENTS = [
  `create table invitations (
    id uuid primary key,
    user_id text not null,
    hash bytea not null unique,
    role text not null check (role in ('operator', 'member')),
    name text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  'create index invitations_by_user on invitations (user_id)',
  'create index invitations_by_end on invitations (expires_at)',
  'alter table invitations enable row level security, force row level security',
  `create policy identities on invitations using ((select current_setting('app.identities', true)) = 'on')`,
  `create trigger signal_role after update of role on users for each row
    when (old.role is distinct from new.role) execute function signal_removal()`,
];
