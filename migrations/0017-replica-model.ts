import { type Kysely, sql } from 'kysely';

/** The model settings that a replica shows to its peers. A replica of an older version leaves `model` empty. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table replicas
      add column model text,
      add column is_command boolean not null default false`.execute(db);
}
