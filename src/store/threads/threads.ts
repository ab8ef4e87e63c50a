import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Thread } from '#domain/thread/thread.ts';
import type { OpenGate } from '#domain/tool/gate.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { LAST_POSITION } from './shares.ts';

/** Creates a thread. `lastSeq`: how many turns the caller inserts into it. */
export async function insertThread(
  trx: OwnedTransaction,
  owner: Owner,
  { id, lastSeq, metadata }: { id: ThreadId; lastSeq: number; metadata?: Readonly<Record<string, unknown>> },
): Promise<void> {
  await trx
    .insertInto('threads')
    .values({
      id,
      userId: owner.userId,
      lastSeq,
      catalog: '[]',
      ...(metadata && { metadata: JSON.stringify(metadata) }),
    })
    .execute();
}

/**
 * Gives `turnId` the next position in the thread, and makes it the active turn if there is none. null: the turn never runs.
 * `preview` is the start of its text and `bytes` its size. A message to an archived thread unarchives it.
 * The row stays locked until the transaction ends, so that positions follow the order of commits.
 */
export function takeNextPosition(
  trx: OwnedTransaction,
  owner: Owner,
  id: ThreadId,
  turnId: TurnId | null,
  { preview = '', bytes = 0 }: Said = {},
): Promise<Thread | undefined> {
  return trx
    .updateTable('threads')
    .set((row) => ({
      lastSeq: row('lastSeq', '+', 1),
      active: row.fn.coalesce('active', row.val(turnId)),
      updatedAt: sql<Date>`now()`,
      archived: false,
      bytes: sql<string>`bytes + ${bytes}`,
      ...(preview && { preview, opening: sql<string>`coalesce(nullif(opening, ''), ${preview})` }),
    }))
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .returning(columns)
    .executeTakeFirst();
}

type Said = { readonly preview?: string; readonly bytes?: number };

/**
 * Gives `turnId`, which answers `gate`, its number: the messages that wait behind the gate move up by one, so that the output of
 * the call comes before them in every prompt. The caller holds the lock of the thread.
 */
export async function takePositionAfter(
  trx: OwnedTransaction,
  owner: Owner,
  gate: OpenGate,
  turnId: TurnId,
  said: Said = {},
): Promise<{ readonly thread: Thread; readonly seq: number } | undefined> {
  const thread = await takeNextPosition(trx, owner, gate.threadId, turnId, said);
  if (!thread) return undefined;
  const { rows } = await sql<{ first: number | null }>`
    select min(turns.seq) as first from turns join gates on gates.id = ${gate.id} and gates.user_id = turns.user_id
    where turns.thread_id = ${gate.threadId} and turns.user_id = ${owner.userId}
      and turns.seq > gates.turn_seq and turns.attempt < 0 and not turns.refused`.execute(trx);
  const first = thread.active === turnId ? rows[0]?.first : null; // a turn that runs keeps its number
  if (first === undefined || first === null) return { thread, seq: thread.lastSeq };
  await moveUp(trx, owner, thread.id, first);
  return { thread, seq: first };
}

/**
 * Adds one to the numbers from `first` on. None of these turns has started, so only they, their input and a share refer to them. The
 * share ends before them: it must not show the turn that comes between.
 */
async function moveUp(trx: OwnedTransaction, owner: Owner, id: ThreadId, first: number): Promise<void> {
  const own = sql`thread_id = ${id} and user_id = ${owner.userId}`;
  // Negative in between: a number can't be taken twice, not even during a statement.
  await sql`update turns set seq = -seq - 1, follows = null where ${own} and seq >= ${first}`.execute(trx);
  await sql`update turns set seq = -seq where ${own} and seq < 0`.execute(trx);
  await sql`update items set turn_seq = -turn_seq - 1 where ${own} and turn_seq >= ${first}`.execute(trx);
  await sql`update items set turn_seq = -turn_seq where ${own} and turn_seq < 0`.execute(trx);
  await sql`
    update shares set through_seq = ${first - 1}, through_position = ${LAST_POSITION}
    where ${own} and through_seq >= ${first}`.execute(trx);
}

/** The size of the thread's items, in bytes of JSON. */
export async function countBytes(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<number> {
  const query = trx.selectFrom('threads').select('bytes').where('id', '=', id).where('userId', '=', owner.userId);
  return Number((await query.executeTakeFirstOrThrow()).bytes);
}

/** Locks the thread until the transaction ends: no turn of it starts or ends meanwhile. */
export function lockThread(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<Thread | undefined> {
  return trx
    .selectFrom('threads')
    .select(columns)
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function replaceCatalog(
  trx: OwnedTransaction,
  owner: Owner,
  id: ThreadId,
  catalog: readonly ToolDefinition[],
): Promise<void> {
  await trx
    .updateTable('threads')
    .set({ catalog: JSON.stringify(catalog) })
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .execute();
}

const columns = ['id', 'userId', 'lastSeq', 'active', 'catalog', 'createdAt'] as const;

/** The thread that the owner calls `name`. The first message with the name creates it: see `accept_turns`. */
export async function findNamedThread(
  trx: OwnedTransaction,
  owner: Owner,
  name: string,
): Promise<ThreadId | undefined> {
  const row = await trx
    .selectFrom('conversations')
    .select('threadId')
    .where('userId', '=', owner.userId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.threadId;
}

/**
 * Deletes the thread and all its data. Turns and gates are deleted with its row. Items are deleted after that, when no
 * attempt can write another one, because its turn no longer exists. The caller holds the lock of the thread. Turns are locked
 * before its row goes: an append locks its turn, and then shares the key of its thread.
 */
export async function deleteThread(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<void> {
  const turns = await trx
    .selectFrom('turns')
    .select('id')
    .where('threadId', '=', id)
    .where('userId', '=', owner.userId)
    .orderBy('id')
    .forUpdate()
    .execute();
  const turnIds = turns.map((turn) => turn.id);
  await deleteEvents(trx, owner, turnIds);
  for (const table of ['idempotencyKeys', 'requestTries'] as const)
    await trx
      .deleteFrom(table)
      .where('userId', '=', owner.userId)
      .where('turnId', '=', sql<TurnId>`any(${turnIds}::uuid[])`)
      .execute();
  await trx.deleteFrom('threads').where('id', '=', id).where('userId', '=', owner.userId).execute();
  for (const table of ['items', 'conversations', 'jobs'] as const)
    await trx.deleteFrom(table).where('threadId', '=', id).where('userId', '=', owner.userId).execute();
}

export async function deleteEvents(trx: OwnedTransaction, owner: Owner, turnIds: readonly TurnId[]): Promise<void> {
  await sql`
    delete from turn_events where turn_id = any(${turnIds}::uuid[]) and user_id = ${owner.userId}`.execute(trx);
}
