import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Thread } from '#domain/thread/thread.ts';
import type { OpenGate } from '#domain/tool/gate.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

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

/** Gives `turnId`, which answers `gate`, its number: see `number_after_gate`. The caller holds the lock of the thread. */
export async function takePositionAfter(
  trx: OwnedTransaction,
  owner: Owner,
  gate: OpenGate,
  turnId: TurnId,
  said: Said = {},
): Promise<{ readonly thread: Thread; readonly seq: number } | undefined> {
  const thread = await takeNextPosition(trx, owner, gate.threadId, turnId, said);
  if (!thread) return undefined;
  if (thread.active !== turnId) return { thread, seq: thread.lastSeq }; // a turn that runs keeps its number
  const { rows } = await sql<{ seq: number | null }>`
    select number_after_gate(${gate.threadId}, ${owner.userId}, turn_seq) as seq from gates
    where id = ${gate.id} and user_id = ${owner.userId}`.execute(trx);
  return { thread, seq: rows[0]?.seq ?? thread.lastSeq };
}

/** The size of the thread's items, in bytes of JSON. */
export async function countBytes(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<number> {
  const query = trx.selectFrom('threads').select('bytes').where('id', '=', id).where('userId', '=', owner.userId);
  return Number((await query.executeTakeFirstOrThrow()).bytes);
}

/** Whether code of the thread may reach the hosts that the operator lists. */
export async function hasNetwork(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<boolean> {
  const query = trx.selectFrom('threads').select('network').where('id', '=', id).where('userId', '=', owner.userId);
  return (await query.executeTakeFirst())?.network ?? false;
}

/** Says when a summary was asked for, or with null that none is. The caller holds the lock of the thread. */
export async function setCompactAsked(
  trx: OwnedTransaction,
  owner: Owner,
  id: ThreadId,
  compactAskedAt: Date | null,
): Promise<void> {
  await trx
    .updateTable('threads')
    .set({ compactAskedAt })
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .execute();
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

/**
 * Deletes the thread and all its data, and the threads of its children. Turns and gates are deleted with its row. Items are deleted after that, when no
 * attempt can write another one, because its turn no longer exists. The caller holds the lock of the thread. Turns are locked
 * before its row goes: an append locks its turn, and then shares the key of its thread.
 */
export async function deleteThread(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<void> {
  const children = await listChildren(trx, owner, id);
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
  for (const child of children) await deleteThread(trx, owner, child);
}

/** The threads of the children that this thread has started, locked after it. */
async function listChildren(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<ThreadId[]> {
  const { rows } = await sql<{ id: ThreadId }>`
    select id from threads where parent = ${id} and user_id = ${owner.userId}
      and root = (select coalesce(above.root, above.id) from threads as above where above.id = ${id})
    order by id for no key update`.execute(trx);
  return rows.map((row) => row.id);
}

export async function deleteEvents(trx: OwnedTransaction, owner: Owner, turnIds: readonly TurnId[]): Promise<void> {
  await sql`
    delete from turn_events where turn_id = any(${turnIds}::uuid[]) and user_id = ${owner.userId}`.execute(trx);
}
