import { sql } from 'kysely';
import { Superseded } from '#domain/errors.ts';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Item, ItemBody, NewItem } from '#domain/item.ts';
import type { Turn } from '#domain/turn.ts';
import type { Usage } from '#domain/usage.ts';
import type { OwnedTransaction, Owner } from './connection.ts';

/** The items a turn begins with. */
export async function insertInput(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Pick<Turn, 'id' | 'threadId' | 'seq'>,
  items: readonly NewItem[],
): Promise<void> {
  if (items.length === 0) return;
  await trx
    .insertInto('items')
    .values(
      items.map(({ id, ...body }, position) => ({
        threadId: turn.threadId,
        turnSeq: turn.seq,
        position,
        id,
        turnId: turn.id,
        userId: owner.userId,
        body: JSON.stringify(body),
      })),
    )
    .execute();
}

export type WrittenItem = NewItem & {
  /** What the model call that made it consumed. */
  readonly usage: Usage | null;
  /** Whether this call's tool is started with this very write. */
  readonly started: boolean;
};

/**
 * Writes what a running turn made, from `position` on. All or nothing, and nothing unless `turn.attempt` is still
 * the one that runs: a turn that was taken over meanwhile throws `Superseded`.
 */
export async function appendItems(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Pick<Turn, 'id' | 'threadId' | 'seq' | 'attempt'>,
  position: number,
  items: readonly WrittenItem[],
): Promise<Item[]> {
  // Arrays of texts, not one JSON: PostgreSQL can't take a JSON apart that holds \u0000.
  const written = await sql`
    with fence as (
      select thread_id, seq, user_id from turns
      where id = ${turn.id} and user_id = ${owner.userId} and attempt = ${turn.attempt} and status = 'running'
      for no key update
    )
    insert into items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body, usage, started_at)
    select fence.thread_id, fence.seq, ${position}::integer + made.ordinality::integer - 1, made.id, ${turn.id}::uuid,
      fence.user_id, ${turn.attempt}::integer, made.body::json, made.usage::json, case when made.started then now() end
    from fence, unnest(
      ${items.map((item) => item.id)}::uuid[],
      ${items.map(({ id: _id, usage: _usage, started: _started, ...body }) => JSON.stringify(body))}::text[],
      ${items.map((item) => item.usage && JSON.stringify(item.usage))}::text[],
      ${items.map((item) => item.started)}::boolean[]
    ) with ordinality as made (id, body, usage, started, ordinality)
    returning 1`.execute(trx);
  if (written.rows.length !== items.length) throw new Superseded(turn.id);
  return placeItems(turn, position, items);
}

/** The items as they stand in the thread once they are written. */
export function placeItems(
  turn: Pick<Turn, 'id' | 'threadId' | 'seq' | 'attempt'>,
  position: number,
  items: readonly WrittenItem[],
): Item[] {
  return items.map(({ started, ...item }, index) => ({
    ...item,
    threadId: turn.threadId,
    turnId: turn.id,
    turnSeq: turn.seq,
    position: position + index,
    attempt: turn.attempt,
    startedAt: started ? new Date() : null,
  }));
}

/** Records that a call's tool is about to run; after a crash this tells a call that may have happened from one that can't have. */
export async function markStarted(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Pick<Turn, 'id' | 'attempt'>,
  call: Pick<Item, 'threadId' | 'turnSeq' | 'position'>,
): Promise<void> {
  const marked = await sql`
    with fence as (
      select 1 from turns
      where id = ${turn.id} and user_id = ${owner.userId} and attempt = ${turn.attempt} and status = 'running'
      for no key update
    )
    update items set started_at = now() from fence
    where thread_id = ${call.threadId} and turn_seq = ${call.turnSeq} and position = ${call.position}`.execute(trx);
  if (marked.numAffectedRows !== 1n) throw new Superseded(turn.id);
}

/** What the thread has said up to and including the turn at `seq`. Messages that were refused at a gate are left out. */
export async function loadHistory(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  seq: number,
): Promise<Item[]> {
  const rows = await trx
    .selectFrom('items')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('turnSeq', '<=', seq)
    .where((row) =>
      row(
        'turnSeq',
        'not in',
        row.selectFrom('turns').select('seq').where('threadId', '=', threadId).where('refused', '=', true),
      ),
    )
    .orderBy('turnSeq')
    .orderBy('position')
    .execute();
  return rows.map(toItem);
}

/** The items of one turn: those it began with and those it made. */
export async function listTurnItems(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Pick<Turn, 'threadId' | 'seq'>,
): Promise<Item[]> {
  const rows = await trx
    .selectFrom('items')
    .select(columns)
    .where('threadId', '=', turn.threadId)
    .where('userId', '=', owner.userId)
    .where('turnSeq', '=', turn.seq)
    .orderBy('position')
    .execute();
  return rows.map(toItem);
}

const columns = ['threadId', 'turnId', 'turnSeq', 'position', 'id', 'attempt', 'body', 'usage', 'startedAt'] as const;

type ItemRow = {
  threadId: ThreadId;
  turnId: TurnId;
  turnSeq: number;
  position: number;
  id: string;
  attempt: number | null;
  body: ItemBody;
  usage: Usage | null;
  startedAt: Date | null;
};

const toItem = ({ body, ...place }: ItemRow): Item => ({ ...place, ...body });
