import { sql } from 'kysely';
import type { NoteVersion } from '#domain/note.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/** Newest first. A note that is older than the record of versions is its only one. */
export function listVersions(trx: OwnedTransaction, owner: Owner, path: string): Promise<NoteVersion[]> {
  return runStatement(trx, LIST, [owner.userId, path]);
}

export async function findVersion(
  trx: OwnedTransaction,
  owner: Owner,
  path: string,
  version: number,
): Promise<NoteVersion | undefined> {
  return (await listVersions(trx, owner, path)).find((each) => each.version === version);
}

export type DeletedNote = Pick<NoteVersion, 'version' | 'writtenBy' | 'sources'> & {
  readonly path: string;
  readonly deletedAt: Date;
};

/** Notes that were deleted and can be restored, the last deleted first. */
export function listDeleted(trx: OwnedTransaction, owner: Owner, limit: number): Promise<DeletedNote[]> {
  return trx
    .selectFrom('noteVersions as v')
    .select(['path', 'version', 'writtenBy', 'sources', 'writtenAt as deletedAt'])
    .where('userId', '=', owner.userId)
    .where('text', 'is', null)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('noteVersions as later')
            .select(sql`1`.as('one'))
            .whereRef('later.userId', '=', 'v.userId')
            .whereRef('later.path', '=', 'v.path')
            .whereRef('later.version', '>', 'v.version'),
        ),
      ),
    )
    .orderBy('writtenAt', 'desc')
    .orderBy('path')
    .limit(limit)
    .execute();
}

/** Removes versions of a note permanently; deletions go with the last text. Returns false when there was none. */
export async function eraseVersions(
  trx: OwnedTransaction,
  owner: Owner,
  path: string,
  which: readonly number[] | 'all',
): Promise<boolean> {
  const erased = await runStatement(trx, ERASE, [owner.userId, path, which === 'all' ? null : which]);
  if (which !== 'all') await runStatement(trx, ERASE_EMPTY, [owner.userId, path]);
  return erased.length > 0;
}

const ERASE = `
  delete from note_versions where user_id = $1 and path = $2 and ($3::integer[] is null or version = any($3)) returning version`;
const ERASE_EMPTY = `
  delete from note_versions where user_id = $1 and path = $2 and not exists (
    select from note_versions where user_id = $1 and path = $2 and text is not null)`;

const LIST = `
  select version, text, origin, written_by as "writtenBy", thread_id as "threadId", turn_id as "turnId", sources,
    written_at as "writtenAt"
  from note_versions where user_id = $1 and path = $2
  union all
  select 1, text, origin, 'unknown', null, null, '[]', updated_at from notes
  where user_id = $1 and path = $2 and not exists (select from note_versions where user_id = $1 and path = $2)
  order by version desc`;
