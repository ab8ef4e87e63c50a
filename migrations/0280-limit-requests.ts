import { type Kysely, sql } from 'kysely';

/** Who asks the operator for a higher limit; one row for each user. A replica of the version before never asks. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table limit_requests (
    user_id text primary key,
    asked_at timestamptz not null default now(),
    dismissed_at timestamptz
  )`,
  'alter table limit_requests enable row level security, force row level security',
  `create policy engine on limit_requests using ((select current_setting('app.engine', true)) = 'on')`,
  `create policy operator on limit_requests using ((select current_setting('app.user_id', true)) = 'operator')`,
  `create policy owner on limit_requests using (user_id = (select current_setting('app.user_id', true)))`,
];
