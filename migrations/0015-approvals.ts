import { type Kysely, sql } from 'kysely';

/** Approvals, for one call or permanent, and the webhook users that may use another user's secrets. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The version of the tool that was shown with a call.
  await sql`alter table gates add column revision text`.execute(db);
  await sql`create index gates_by_user on gates (user_id, id) where answered_at is null`.execute(db);

  // One answer to one gate, valid for one run of exactly the call that was shown.
  await sql`
    create table approvals (
      gate_id uuid primary key references gates on delete cascade,
      user_id text not null,
      call_id uuid not null,
      digest text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at timestamptz
    )`.execute(db);
  await sql`create index approvals_by_call on approvals (call_id)`.execute(db);

  await sql`
    create table standing_approvals (
      id uuid primary key,
      user_id text not null,
      tool text not null,
      revision text,
      shape text not null,
      digest text not null,
      created_at timestamptz not null default now(),
      unique (user_id, digest)
    )`.execute(db);

  // A webhook user, and the user whose secrets its calls may use.
  await sql`
    create table pairings (
      user_id text primary key,
      paired_user_id text not null,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index pairings_by_paired_user on pairings (paired_user_id)`.execute(db);

  for (const table of ['approvals', 'standing_approvals', 'pairings']) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
    await sql`alter table ${sql.table(table)} force row level security`.execute(db);
    await sql`
      create policy owner on ${sql.table(table)} using (
        user_id = (select current_setting('app.user_id', true))
        or (select current_setting('app.engine', true)) = 'on'
      )`.execute(db);
  }
  // The operator sees all open gates and can revoke approvals and pairings; so can a user whose secrets are used.
  const isOperator = sql`(select current_setting('app.user_id', true)) = 'operator'`;
  await sql`create policy operator on gates for select using (${isOperator})`.execute(db);
  for (const table of ['standing_approvals', 'pairings'])
    for (const act of ['select', 'delete'])
      await sql`
        create policy ${sql.raw(`operator_${act}`)} on ${sql.table(table)} for ${sql.raw(act)} using (${isOperator})`.execute(
        db,
      );
  for (const act of ['select', 'delete'])
    await sql`
      create policy ${sql.raw(`partner_${act}`)} on pairings for ${sql.raw(act)} using (
        paired_user_id = (select current_setting('app.user_id', true))
      )`.execute(db);
}
