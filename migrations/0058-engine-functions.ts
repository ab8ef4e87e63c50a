import { readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { packageFile } from '#program-files.ts';

/**
 * Installs the engine's functions from `src/engine/sql`, which holds the current text of each. They are planned without
 * sequential scans: a plan that was made while the tables are small reads them whole, and stays in use until the next ANALYZE.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of FUNCTIONS) {
    const text = await readFile(packageFile(`src/engine/sql/${name}.sql`), 'utf8');
    await sql.raw(text).execute(db);
  }
}

export const worksWith = '0022-sign-in-codes';

const FUNCTIONS = [
  'accept_turns',
  'append_items',
  'bury_replicas',
  'claim_turns',
  'erase_threads',
  'settle_turns',
  'turn_context',
];
