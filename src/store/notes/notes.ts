import { sql } from 'kysely';
import { BY_PERSON, type Note, type NoteAuthor, type NoteCause, type NoteOrigin } from '#domain/note.ts';
import type { SeenSource } from '#domain/thread/origin.ts';
import type { Audited } from '../audit.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

export function findNote(trx: OwnedTransaction, owner: Owner, path: string): Promise<Note | undefined> {
  return selectNotes(trx, owner).where('notes.path', '=', path).executeTakeFirst();
}

export function findNotes(trx: OwnedTransaction, owner: Owner, paths: readonly string[]): Promise<Note[]> {
  if (paths.length === 0) return Promise.resolve([]);
  return selectNotes(trx, owner).where('notes.path', 'in', paths).execute();
}

/** Last changed first. */
export function listNotes(trx: OwnedTransaction, owner: Owner, limit: number): Promise<Note[]> {
  return selectNotes(trx, owner).orderBy('updatedAt', 'desc').orderBy('notes.path').limit(limit).execute();
}

/** Notes with what their newest version says. A note that is older than the record of versions has none yet. */
const selectNotes = (trx: OwnedTransaction, owner: Owner) =>
  trx
    .selectFrom('notes')
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('noteVersions as v')
          .select(['version', 'writtenBy', 'sources'])
          .whereRef('v.userId', '=', 'notes.userId')
          .whereRef('v.path', '=', 'notes.path')
          .orderBy('version', 'desc')
          .limit(1)
          .as('newest'),
      (join) => join.onTrue(),
    )
    .select([
      'notes.path',
      'text',
      'origin',
      'createdAt',
      'updatedAt',
      sql<number>`coalesce(version, 1)`.as('version'),
      sql<NoteAuthor>`coalesce(written_by, 'unknown')`.as('writtenBy'),
      sql<readonly SeenSource[]>`coalesce(sources, '[]')`.as('sources'),
    ])
    .where('notes.userId', '=', owner.userId);

/**
 * Of a note whose text is unchanged, only the origin is written. A new text is queued for embedding. Returns false, without
 * writing, when the note is one that `mayReplace` refuses. No one else can change it in between. A call that has written before
 * writes nothing.
 */
export async function writeNote(
  trx: OwnedTransaction,
  owner: Owner,
  { path, text, origin }: NewNote,
  cause: NoteCause,
  mayReplace: MayReplace = () => true,
): Promise<boolean> {
  const { known, isDone } = await lockNote(trx, owner, path, cause);
  if (isDone) return true;
  if (!mayReplace(known)) return false;
  if (known?.text === text) {
    await setOrigin(trx, owner, path, origin);
    return true;
  }
  if (known) await unindexWords(trx, owner, { ...known, path });

  const { number } = await trx
    .insertInto('notes')
    .values({ userId: owner.userId, path, text, origin, wordCount: 0 })
    .onConflict((taken) =>
      taken.columns(['userId', 'path']).doUpdateSet({ text, origin, ...UNEMBEDDED, updatedAt: sql<Date>`now()` }),
    )
    .returning('number')
    .executeTakeFirstOrThrow();
  await indexWords(trx, owner, { number, path, text });
  return true;
}

/** Whether this note may be replaced; undefined when there is none yet. */
export type MayReplace = (known: Pick<Note, 'origin'> | undefined) => boolean;

export type NewNote = Pick<Note, 'path' | 'text' | 'origin'>;

async function setOrigin(trx: OwnedTransaction, owner: Owner, path: string, origin: NoteOrigin): Promise<void> {
  await trx
    .updateTable('notes')
    .set({ origin })
    .where('userId', '=', owner.userId)
    .where('path', '=', path)
    .where('origin', '<>', origin)
    .execute();
}

/** Makes these notes the person's own, or all notes of unknown origin. Returns how many were not. */
export async function keepNotes(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  which: readonly string[] | 'all of unknown origin',
): Promise<number> {
  await sql`select ${causedBy(BY_PERSON)}`.execute(trx);
  const { numUpdatedRows } = await trx
    .with('held', (from) =>
      from
        .selectFrom('notes')
        .select('number')
        .where('userId', '=', owner.userId)
        .where((note) =>
          typeof which === 'string'
            ? note('origin', '=', 'unknown')
            : note.and([note('path', 'in', which), note('origin', '<>', 'person')]),
        )
        .orderBy('path') // as in `lockNotes`
        .forNoKeyUpdate(),
    )
    .updateTable('notes')
    .from('held')
    .set({ origin: 'person' })
    .where('userId', '=', owner.userId)
    .whereRef('notes.number', '=', 'held.number')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function countOfUnknownOrigin(trx: OwnedTransaction, owner: Owner): Promise<number> {
  const { count } = await trx
    .selectFrom('notes')
    .select((note) => note.fn.countAll<string>().as('count'))
    .where('userId', '=', owner.userId)
    .where('origin', '=', 'unknown')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns false when there was none. Its versions stay. */
export async function deleteNote(
  trx: OwnedTransaction,
  owner: Owner,
  path: string,
  cause: NoteCause,
): Promise<boolean> {
  const { known, isDone } = await lockNote(trx, owner, path, cause);
  if (!known || isDone) return isDone;
  await unindexWords(trx, owner, { ...known, path });
  await trx.deleteFrom('notes').where('userId', '=', owner.userId).where('number', '=', known.number).execute();
  return true;
}

/**
 * Serializes writers of one path, even without a row to lock, because the indexed words of a note must match
 * its text. `isDone`: the call that writes has written before, and crashed before its output was stored.
 */
async function lockNote(trx: OwnedTransaction, owner: Owner, path: string, cause: NoteCause) {
  const lock = sql`pg_advisory_xact_lock(hashtextextended(${`note ${owner.userId} ${path}`}, 0))`;
  await sql`select ${lock}, ${causedBy(cause)}`.execute(trx);
  const [found] = await runStatement<LockedNote>(trx, FIND_LOCKED, [owner.userId, path, cause.call]);
  const { number, text, origin } = found ?? {};
  return { known: number && text && origin ? { number, text, origin } : undefined, isDone: found?.isDone ?? false };
}

/** Keeps others from writing these notes until the transaction ends. Rows of several notes are always locked in one order. */
export async function lockNotes(trx: OwnedTransaction, owner: Owner, paths: readonly string[]): Promise<void> {
  await runStatement(trx, LOCK, [owner.userId, paths.toSorted()]);
  await runStatement(trx, LOCK_ROWS, [owner.userId, paths]);
}

const LOCK = `
  select pg_advisory_xact_lock(hashtextextended('note ' || $1 || ' ' || path, 0)) from unnest($2::text[]) as path`;
const LOCK_ROWS = 'select from notes where user_id = $1 and path = any($2::text[]) order by path for update';

type LockedNote = {
  readonly number: string | null;
  readonly text: string | null;
  readonly origin: NoteOrigin | null;
  readonly isDone: boolean;
};

const FIND_LOCKED = `
  select number, text, origin, exists (select from note_versions where user_id = $1 and call = $3) as "isDone"
  from (select 1) as one left join notes on user_id = $1 and path = $2`;

/** The trigger that writes the version of each change in this transaction says so. */
const causedBy = (cause: NoteCause) => sql`set_config('app.note_cause', ${JSON.stringify(cause)}, true)`;

/** Notes without a vector that are due for one. */
const UNEMBEDDED = {
  embedding: null,
  signature: null,
  embeddingModel: '',
  embedAttempts: 0,
  embedDueAt: sql<Date>`now()`,
};

type NumberedNote = { readonly number: string; readonly path: string; readonly text: string };

/** Indexes a note by the words of its path and text. */
async function indexWords(trx: OwnedTransaction, owner: Owner, note: NumberedNote): Promise<void> {
  await runStatement(trx, KEEP, [owner.userId, note.number, searchable(note)]);
}

/** Removes the index entries of the note's current text. */
async function unindexWords(trx: OwnedTransaction, owner: Owner, note: NumberedNote): Promise<void> {
  await runStatement(trx, FORGET, [owner.userId, note.number, searchable(note)]);
}

const searchable = ({ path, text }: NumberedNote) => `${path.replaceAll(/[/_.-]/g, ' ')} ${text}`;

const KEEP = `
  with kept as (
    insert into note_words (user_id, word, note) select $1, lexeme, $2 from note_lexemes($3) as lexeme returning 1
  )
  update notes set word_count = (select count(*) from kept) where user_id = $1 and number = $2`;

const FORGET = `
  delete from note_words where user_id = $1 and note = $2 and word in (select note_lexemes($3))`;
