import { type Kysely, sql } from 'kysely';

/** Users who move to another cell. `subject` is the id of the user, who has no other row here after the move. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Here `leaving`, `left` and `gone` follow each other; the other cell has a row with the same id that says `arrived`.
  await sql`
    create table user_moves (
      id uuid primary key,
      subject text not null,
      cell integer not null,
      state text not null check (state in ('leaving', 'left', 'gone', 'arrived')),
      started_at timestamptz not null default clock_timestamp()
    )`.execute(db);
  await sql`create unique index user_moves_away on user_moves (subject) where state <> 'arrived'`.execute(db);

  // Where users who left are found: by the hashes of their tokens, sessions, links, e-mail addresses and identities.
  await sql`
    create table forwards (
      hash bytea primary key,
      subject text not null,
      cell integer not null
    )`.execute(db);
  await sql`create index forwards_by_subject on forwards (subject)`.execute(db);
  await sql`alter table forwards enable row level security`.execute(db);
  await sql`alter table forwards force row level security`.execute(db);
  for (const part of ['engine', 'identities'])
    await sql`
      create policy ${sql.id(part)} on forwards using ((select current_setting(${sql.lit(`app.${part}`)}, true)) = 'on')`.execute(
      db,
    );
  await sql.raw(REFUSE_MOVING).execute(db);
}

export const worksWith = '0022-sign-in-codes';

/** Returns its argument, so that a statement which writes for these users can't run without the check. */
const REFUSE_MOVING = `
create function refuse_moving(users text[]) returns text[] language plpgsql as $$
begin
  if exists (select from user_moves where subject = any(users) and state <> 'arrived') then
    raise exception using errcode = 'RB002', message = 'this user moves to another cell';
  end if;
  return users;
end $$`;
