import { sql } from 'kysely';
import type { Note } from '#domain/note.ts';
import { OPERATOR } from '#domain/principal.ts';
import { type OwnedTransaction, type Owner, runStatement } from './connection.ts';
import { toSignature } from './signature.ts';

export function findNote(trx: OwnedTransaction, owner: Owner, path: string): Promise<Note | undefined> {
  return trx
    .selectFrom('notes')
    .select(columns)
    .where('userId', '=', owner.userId)
    .where('path', '=', path)
    .executeTakeFirst();
}

export function findNotes(trx: OwnedTransaction, owner: Owner, paths: readonly string[]): Promise<Note[]> {
  if (paths.length === 0) return Promise.resolve([]);
  return trx
    .selectFrom('notes')
    .select(columns)
    .where('userId', '=', owner.userId)
    .where('path', 'in', paths)
    .execute();
}

/** The last changed first. */
export function listNotes(trx: OwnedTransaction, owner: Owner, limit: number): Promise<Note[]> {
  return trx
    .selectFrom('notes')
    .select(columns)
    .where('userId', '=', owner.userId)
    .orderBy('updatedAt', 'desc')
    .orderBy('path')
    .limit(limit)
    .execute();
}

/** The owner's notes at `paths`, and the operator's note at `fallback` if they have none there. */
export async function findNotesOrDefault(
  trx: OwnedTransaction,
  owner: Owner,
  paths: readonly string[],
  fallback: string,
): Promise<Pick<Note, 'path' | 'text'>[]> {
  const rows = await trx
    .selectFrom('notes')
    .select(['userId', 'path', 'text'])
    .where((note) =>
      note.or([
        note.and([note('userId', '=', owner.userId), note('path', 'in', paths)]),
        note.and([note('userId', '=', OPERATOR.userId), note('path', '=', fallback)]),
      ]),
    )
    .execute();
  const own = rows.filter(({ userId }) => userId === owner.userId);
  return own.some(({ path }) => path === fallback) ? own : rows;
}

/** Writing what is there already changes nothing; another text waits to be embedded. */
export async function writeNote(trx: OwnedTransaction, owner: Owner, path: string, text: string): Promise<void> {
  await trx
    .insertInto('notes')
    .values({ userId: owner.userId, path, text })
    .onConflict((known) =>
      known
        .columns(['userId', 'path'])
        .doUpdateSet({ text, ...UNEMBEDDED, updatedAt: sql<Date>`now()` })
        .where('notes.text', '<>', text),
    )
    .execute();
}

/** Answers false when there was none. */
export async function deleteNote(trx: OwnedTransaction, owner: Owner, path: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('notes')
    .where('userId', '=', owner.userId)
    .where('path', '=', path)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export type WaitingNote = Pick<Note, 'path' | 'text'> & { readonly attempts: number };

/**
 * Takes notes that have no vector of `model`, and reserves each for as long as embedding may take: if nobody reports
 * how it went, it is due again.
 */
export function takeWaitingNotes(
  trx: OwnedTransaction,
  owner: Owner,
  { model, count, leaseSeconds }: { model: string; count: number; leaseSeconds: number },
): Promise<WaitingNote[]> {
  const due = trx
    .selectFrom('notes')
    .select('path')
    .where('userId', '=', owner.userId)
    .where('embeddingModel', '<>', model)
    .where('embedDueAt', '<=', sql<Date>`now()`)
    .limit(count)
    .forUpdate()
    .skipLocked();
  return trx
    .updateTable('notes')
    .set({ embedDueAt: sql<Date>`now() + make_interval(secs => ${leaseSeconds})` })
    .set((note) => ({ embedAttempts: note('embedAttempts', '+', 1) }))
    .where('userId', '=', owner.userId)
    .where('path', 'in', due)
    .returning(['path', 'text', 'embedAttempts as attempts'])
    .execute();
}

export type EmbeddedNote = Pick<Note, 'path' | 'text'> & { readonly vector: readonly number[] };

/** Holds only for the text that was embedded: one written meanwhile waits for a vector of its own. */
export async function recordEmbeddings(
  trx: OwnedTransaction,
  owner: Owner,
  model: string,
  notes: readonly EmbeddedNote[],
): Promise<void> {
  await runStatement(trx, RECORD, [
    owner.userId,
    model,
    notes.map(({ path }) => path),
    notes.map(({ text }) => text),
    notes.map(({ vector }) => `{${vector.join()}}`),
    notes.map(({ vector }) => toSignature(vector)),
  ]);
}

const RECORD = `
  update notes set embedding_model = $2, embedding = made.vector::real[], signature = made.signature::bit varying,
    embed_attempts = 0
  from unnest($3::text[], $4::text[], $5::text[], $6::text[]) as made (path, text, vector, signature)
  where notes.user_id = $1 and notes.path = made.path and notes.text = made.text`;

/** The notes are tried again in a while. */
export async function postponeEmbedding(
  trx: OwnedTransaction,
  owner: Owner,
  paths: readonly string[],
  waitSeconds: number,
): Promise<void> {
  await trx
    .updateTable('notes')
    .set({ embedDueAt: sql<Date>`now() + make_interval(secs => ${waitSeconds})` })
    .where('userId', '=', owner.userId)
    .where('path', 'in', paths)
    .execute();
}

const columns = ['path', 'text', 'createdAt', 'updatedAt'] as const;

const UNEMBEDDED = {
  embedding: null,
  signature: null,
  embeddingModel: '',
  embedAttempts: 0,
  embedDueAt: sql<Date>`now()`,
};
