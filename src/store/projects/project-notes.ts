import { sql } from 'kysely';
import type { ProjectId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import { INSTRUCTIONS, type Project, type ProjectNote } from '#domain/work/project.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

type Place = Pick<Project, 'id' | 'ownerId'>;

const columns = ['path', 'text', 'writtenBy', 'updatedAt'] as const;

/** By path, without the instructions. Row-level security shows them to the owner and the members of the project. */
export function listProjectNotes(trx: OwnedTransaction, { id, ownerId }: Place): Promise<ProjectNote[]> {
  return notesOf(trx, ownerId, id).where('path', '<>', INSTRUCTIONS).select(columns).orderBy('path').execute();
}

export function findProjectNote(
  trx: OwnedTransaction,
  { id, ownerId }: Place,
  path: string,
): Promise<ProjectNote | undefined> {
  return notesOf(trx, ownerId, id).where('path', '=', path).select(columns).executeTakeFirst();
}

/** The author of the text is who writes it now, also if it stays the same: that is how a person makes a text their own. */
export async function writeProjectNote(
  trx: OwnedTransaction,
  author: Owner,
  { id, ownerId }: Place,
  { path, text }: Pick<ProjectNote, 'path' | 'text'>,
): Promise<void> {
  const written = { text, writtenBy: author.userId, updatedAt: sql<Date>`now()` };
  await trx
    .insertInto('projectNotes')
    .values({ userId: ownerId, projectId: id, path, ...written })
    .onConflict((conflict) => conflict.columns(['userId', 'projectId', 'path']).doUpdateSet(written))
    .execute();
}

/** Returns whether there was one that may be deleted. */
export async function deleteProjectNote(trx: OwnedTransaction, { id, ownerId }: Place, path: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('projectNotes')
    .where('userId', '=', ownerId)
    .where('projectId', '=', id)
    .where('path', '=', path)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const notesOf = (trx: OwnedTransaction, ownerId: UserId, id: ProjectId) =>
  trx.selectFrom('projectNotes').where('userId', '=', ownerId).where('projectId', '=', id);
