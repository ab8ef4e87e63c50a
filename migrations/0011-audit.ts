import { type Kysely, sql } from 'kysely';

/** Changes to the installation, and who made them. Every session may append; only the identity connections may read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      actor text not null,
      action text not null,
      subject text,
      detail json not null default '{}'
    )`.execute(db);
  await sql`alter table audit enable row level security`.execute(db);
  await sql`alter table audit force row level security`.execute(db);
  await sql`create policy append on audit for insert with check (true)`.execute(db);
  await sql`
    create policy identities on audit for select
    using ((select current_setting('app.identities', true)) = 'on')`.execute(db);

  await sql`
    create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'The audit log is only ever appended to.';
    end $$`.execute(db);
  // By statement, not by row: a change that matches no row is refused as well.
  await sql`
    create trigger append_only before update or delete or truncate on audit
    for each statement execute function refuse_audit_change()`.execute(db);
}
