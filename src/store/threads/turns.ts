import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import { type Item, type ItemJson, itemFromJson, type NewItem } from '#domain/thread/item.ts';
import { itemFields } from '#domain/thread/item-fields.ts';
import type { CancelReason, Channel, Failure, Steers, Turn, TurnRequest } from '#domain/thread/turn.ts';
import type { Gate } from '#domain/tool/gate.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

export type NewTurn = {
  readonly id: TurnId;
  readonly threadId: ThreadId;
  readonly seq: number;
  readonly channel: Channel;
  readonly request: TurnRequest;
  /** The first turn of its run, if it is another one. */
  readonly run?: TurnId;
};

/** Inserts a turn of an existing thread and its first items, in one statement. `waits`: it is active and waits for a replica. */
export async function insertTurn(
  trx: OwnedTransaction,
  owner: Owner,
  turn: NewTurn,
  items: readonly NewItem[],
  waits: boolean,
): Promise<Turn> {
  return insert(trx, owner, turn, items, waits ? 'waits' : 'queued');
}

/** Inserts a turn that has ended: its items are history, and it never runs. */
export async function insertEndedTurn(
  trx: OwnedTransaction,
  owner: Owner,
  turn: NewTurn,
  items: readonly NewItem[],
): Promise<Turn> {
  return insert(trx, owner, turn, items, 'ended');
}

async function insert(
  trx: OwnedTransaction,
  owner: Owner,
  turn: NewTurn,
  written: readonly NewItem[],
  state: 'waits' | 'queued' | 'ended',
): Promise<Turn> {
  const { items = [], texts, uses } = itemFields(written, 0);
  const rows = await runStatement<TurnRow>(trx, INSERT, [
    turn.id,
    turn.threadId,
    owner.userId,
    turn.seq,
    turn.channel,
    JSON.stringify(turn.request),
    state,
    turn.run ?? null,
    JSON.stringify(items),
    texts && JSON.stringify(texts),
    uses && JSON.stringify(uses),
    turn.request.assistant?.id ?? null,
  ]);
  return toTurn(one(rows));
}

export async function findTurn(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  id: TurnId,
): Promise<Turn | undefined> {
  const row = await trx
    .selectFrom('turns')
    .select(columns)
    .where('id', '=', id)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return row && toTurn(row);
}

export async function findTurnById(trx: OwnedTransaction, owner: Owner, id: TurnId): Promise<Turn | undefined> {
  const query = trx.selectFrom('turns').select(columns).where('id', '=', id).where('userId', '=', owner.userId);
  const row = await query.executeTakeFirst();
  return row && toTurn(row);
}

export async function getTurnById(trx: OwnedTransaction, owner: Owner, id: TurnId): Promise<Turn> {
  const turn = await findTurnById(trx, owner, id);
  if (!turn) throw new Error(`The turn ${id} does not exist.`);
  return turn;
}

/** The newest turn of a request with this digest that has not ended, or ended less than a minute ago. */
export async function findTriedTurn(trx: OwnedTransaction, owner: Owner, digest: string): Promise<Turn | undefined> {
  const row = await trx
    .selectFrom('requestTries')
    .innerJoin('turns', 'turns.id', 'requestTries.turnId')
    .select(columns.map((column) => `turns.${column}` as const))
    .where('requestTries.userId', '=', owner.userId)
    .where('turns.userId', '=', owner.userId)
    .where('digest', '=', digest)
    .where(sql<boolean>`(ended_at is null or ended_at > now() - interval '60 seconds')`)
    .orderBy('turns.createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toTurn(row);
}

/** The shown turns of a thread from `seq` on, in order, its active turn, and the number of the shown line; undefined when there are none. */
export async function listTurnsFrom(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  seq: number,
): Promise<{ turns: Turn[]; active: TurnId | null; line: number } | undefined> {
  const rows = await trx
    .selectFrom('turns')
    .innerJoin('threads', 'threads.id', 'turns.threadId')
    .select(columns.map((column) => `turns.${column}` as const))
    .select(['threads.line', 'threads.active'])
    .where('threadId', '=', threadId)
    .where('turns.userId', '=', owner.userId)
    .where('seq', '>=', seq)
    .where('hidden', '=', false)
    .orderBy('seq')
    .limit(100)
    .execute();
  const [first] = rows;
  const turns = rows.map(({ line: _, active: __, ...turn }) => toTurn(turn));
  return first && { turns, active: first.active, line: first.line };
}

/** The turns of a thread that are not to be stored, newest first. `isDelivered`: only those whose caller has the reply. */
export async function listUnstored(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  isDelivered = false,
): Promise<Turn[]> {
  const rows = await trx
    .selectFrom('turns')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where(
      sql<boolean>`exists (select from unstored_turns
        where turn_id = turns.id and (delivered_at is not null or not ${isDelivered}::boolean))`,
    )
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(toTurn);
}

/** A turn, its items, the gate that ended it, answered or not, and the turn that continued after it. */
export async function findTurnRecord(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  id: TurnId,
): Promise<{ turn: Turn; items: Item[]; gate: Gate | null; continuedBy: TurnId | null } | undefined> {
  type Row = TurnRow & { items: ItemJson[]; gate: Gate | null; continuedBy: TurnId | null };
  const [row] = await runStatement<Row>(trx, FIND_RECORD, [id, threadId, owner.userId]);
  if (!row) return undefined;
  const { items, gate, continuedBy, ...turn } = row;
  return { turn: toTurn(turn), items: items.map(itemFromJson), gate, continuedBy };
}

/** The turns that wait behind the thread's active one or its open gate, in order. */
export async function listQueued(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<Turn[]> {
  const rows = await trx
    .selectFrom('turns')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('status', '=', 'queued')
    .where(sql<boolean>`id is distinct from (select active from threads where threads.id = turns.thread_id)`)
    .orderBy('seq')
    .execute();
  return rows.map(toTurn);
}

/** How a turn ends that never ran. */
export type UnrunOutcome =
  | { readonly status: 'cancelled'; readonly failure: null }
  | { readonly status: 'failed'; readonly failure: Failure };

export type Marked = {
  /** Their input was refused, so prompts leave it out. */
  readonly refused: readonly TurnId[];
  /** A message has steered them. */
  readonly steered: readonly TurnId[];
  /** An assistant answers them. */
  readonly assistants: readonly { readonly turnId: TurnId; readonly name: string }[];
};

/** What is special about some of these turns. */
export async function listMarked(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  ids: readonly TurnId[],
): Promise<Marked> {
  const rows = await trx
    .selectFrom('turns')
    .select(['id', 'refused', 'steeredBy', 'request'])
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where(sql<boolean>`(refused or steered_by is not null or assistant is not null)`)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute();
  const idsOf = (marked: readonly { readonly id: TurnId }[]) => marked.map(({ id }) => id);
  return {
    refused: idsOf(rows.filter(({ refused }) => refused)),
    steered: idsOf(rows.filter(({ refused, steeredBy }) => !refused && steeredBy !== null)),
    assistants: rows.flatMap(({ id, request: { assistant } }) =>
      assistant ? { turnId: id, name: assistant.name } : [],
    ),
  };
}

/** Ends a queued turn that never ran, unless it answers a gate: then it must run, to close the calls that wait at that gate. */
export async function endQueuedTurn(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Turn,
  { status, failure }: UnrunOutcome = { status: 'cancelled', failure: null },
): Promise<Date | undefined> {
  const ended = await trx
    .updateTable('turns')
    .set({ status, failure: failure && JSON.stringify(failure), readyAt: null, endedAt: sql<Date>`now()` })
    .where('id', '=', turn.id)
    .where('userId', '=', owner.userId)
    .where('status', '=', 'queued')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('gates')
            .where('threadId', '=', turn.threadId)
            .where('answeredSeq', '=', turn.seq)
            .select('id'),
        ),
      ),
    )
    .returning('endedAt')
    .executeTakeFirst();
  return ended?.endedAt ?? undefined;
}

/** Passes a thread to its next queued turn, if there is one, which then waits for a replica. The caller holds the lock of the thread. */
export async function activateNextTurn(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<void> {
  await runStatement(trx, ACTIVATE_NEXT, [threadId, owner.userId]);
}

/** Lets a queued turn steer the active one, if that can be steered: see `steer_active`. The caller holds the lock of the thread. */
export async function steerWith(trx: OwnedTransaction, owner: Owner, turn: Turn, steers: Steers): Promise<void> {
  await runStatement(trx, STEER, [turn.threadId, owner.userId, turn.id, turn.seq, steers]);
}

/** The first reason is kept. */
export async function requestCancel(
  trx: OwnedTransaction,
  owner: Owner,
  turn: Turn,
  reason: CancelReason,
): Promise<void> {
  await trx
    .updateTable('turns')
    .set({ cancelReason: reason })
    .where('id', '=', turn.id)
    .where('userId', '=', owner.userId)
    .where('cancelReason', 'is', null)
    .execute();
}

const columns = [
  'id',
  'threadId',
  'userId',
  'seq',
  'run',
  'tree',
  'steers',
  'steeredBy',
  'status',
  'channel',
  'request',
  'failure',
  'usage',
  'attempt',
  'cancelReason',
  'createdAt',
  'endedAt',
] as const;

const selected = columns
  .map((column) => `turns.${column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} as "${column}"`)
  .join(', ');

const INSERT = `
  with inserted as (
    insert into turns (id, thread_id, user_id, seq, channel, request, status, ready_at, ended_at, run, assistant)
    values ($1::uuid, $2::uuid, $3::text, $4::integer, $5, $6, case $7::text when 'ended' then 'completed' else 'queued' end,
      case $7 when 'waits' then now() end, case $7 when 'ended' then now() end, $8::uuid, $12::uuid)
    returning *
  ), written as materialized (select write_items($2, $1, $4, $3, null, $9::json, $10::json, $11::json, null))
  select ${selected} from inserted as turns, written`;

const ACTIVATE_NEXT = `
  with next as (
    update turns set ready_at = least(created_at, now()) where id = (
      select id from turns where thread_id = $1 and user_id = $2 and status = 'queued' order by seq limit 1)
    returning id
  )
  update threads set active = (select id from next) where id = $1 and user_id = $2`;

const STEER = `
  update turns set steers = $5 from (select steer_active($1, $2, $4) as steered offset 0) as active
  where id = $3 and user_id = $2 and active.steered is not null`;

const FIND_RECORD = `
  select ${selected},
    (select coalesce(json_agg(item order by item.position), '[]') from (
      select thread_id as "threadId", turn_id as "turnId", turn_seq as "turnSeq", position, items.id, items.attempt,
        body, items.usage, items.started_at as "startedAt"
      from items where items.thread_id = turns.thread_id and items.turn_seq = turns.seq and items.user_id = turns.user_id
    ) as item) as items,
    (select to_json(gate) from (
      select gates.id, thread_id as "threadId", turn_id as "turnId", kind, call, asked from gates
      where gates.thread_id = turns.thread_id and gates.turn_seq = turns.seq and gates.user_id = turns.user_id
    ) as gate) as gate,
    (select next.id from gates join turns as next on next.thread_id = gates.thread_id and next.seq = gates.answered_seq
      where gates.thread_id = turns.thread_id and gates.turn_seq = turns.seq and gates.user_id = turns.user_id
    ) as "continuedBy"
  from turns where turns.id = $1 and turns.thread_id = $2 and turns.user_id = $3`;

/** A row as the driver returns it: the columns above, where `usage` is null until the turn has ended. */
type TurnRow = Omit<Turn, 'usage'> & { readonly usage: Turn['usage'] | null };

function one<T>(rows: readonly T[]): T {
  if (rows.length !== 1 || !rows[0]) throw new Error(`Expected one row, got ${rows.length}.`);
  return rows[0];
}

const toTurn = (row: TurnRow): Turn => ({ ...row, usage: row.usage ?? NO_USAGE });

/** The owner's turns that are running or queued. */
export async function listActiveTurns(
  trx: OwnedTransaction,
  owner: Owner,
): Promise<{ readonly turnId: TurnId; readonly threadId: ThreadId }[]> {
  return trx
    .selectFrom('turns')
    .select(['id as turnId', 'threadId'])
    .where('userId', '=', owner.userId)
    .where('status', 'in', ['queued', 'running'])
    .execute();
}
