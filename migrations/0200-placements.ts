import { type Kysely, sql } from 'kysely';

/** The cells where identities were placed. A replica of the version before ignores it. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

// Where an identity began that this cell is the registrar of, by its hash. The first decision counts; `forwards` says who left since.
const STATEMENTS = [
  `create table placements (
    hash bytea primary key,
    cell integer not null
  )`,
  'alter table placements enable row level security, force row level security',
  `create policy engine on placements using ((select current_setting('app.engine', true)) = 'on')`,
  `create policy identities on placements using ((select current_setting('app.identities', true)) = 'on')`,
];
