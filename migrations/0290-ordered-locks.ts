import { type Kysely, sql } from 'kysely';
import { installFunctions } from '#database/install-functions.ts';

/** Attachments become idle once for each statement that deletes their uses, so that it can lock them in one order. */
export const worksWith = '0100-baseline';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of TABLES) await sql.raw(`drop trigger note_idle_attachment on ${table}`).execute(db);
  await installFunctions(db, functions);
  for (const table of TABLES)
    await sql
      .raw(
        `create trigger note_idle_attachment after delete on ${table} referencing old table as gone
         for each statement execute function note_idle_attachment()`,
      )
      .execute(db);
}

const TABLES = ['attachment_uses', 'workspace_files', 'uploaded_files'];

export const functions = { 'store/note_idle_attachment': '083dfa41220d' };
