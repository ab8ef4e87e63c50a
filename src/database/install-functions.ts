import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { packageFile } from '#program-files.ts';

/**
 * Functions by name, such as `engine/accept_turns` for `src/engine/sql/accept_turns.sql`, each with its revision. A file always
 * has the current text. A migration installs it and declares its revision, so that a test finds a change without a migration.
 */
export type Functions = Readonly<Record<string, string>>;

export async function installFunctions(db: Kysely<unknown>, functions: Functions): Promise<void> {
  for (const name of Object.keys(functions)) await sql.raw(await readFunction(name)).execute(db);
}

export function readFunction(name: string): Promise<string> {
  const [room, file] = name.split('/');
  return readFile(packageFile(`src/${room}/sql/${file}.sql`), 'utf8');
}

/** A digest of a function's text without the comment above it. */
export function revisionOf(text: string): string {
  const definition = text.replace(/^(--.*\n)+/, '');
  return createHash('sha256').update(definition).digest('hex').slice(0, 12);
}
