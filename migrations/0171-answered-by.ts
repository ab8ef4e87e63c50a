import { type Kysely, sql } from 'kysely';

/** Who gave an approval. What a replica of the version before approves has no name. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table approvals add column answered_by text,
    add constraint approvals_answered_by check (answered_by in ('owner', 'operator')) not valid`.execute(db);
}
