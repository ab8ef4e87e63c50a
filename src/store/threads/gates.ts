import { sql } from 'kysely';
import type { GateId, ThreadId } from '#domain/ids.ts';
import type { Scope, UserId } from '#domain/principal.ts';
import type { OpenGate } from '#domain/tool/gate.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { userOf } from '../scope.ts';

/** The open gate of the thread. */
export function findOpenGate(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<OpenGate | undefined> {
  return trx
    .selectFrom('gates')
    .select(columns)
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('answeredAt', 'is', null)
    .executeTakeFirst();
}

/** The open gates of these threads. */
export function listGatesOf(trx: OwnedTransaction, owner: Owner, threadIds: readonly ThreadId[]): Promise<OpenGate[]> {
  return trx
    .selectFrom('gates')
    .select(columns)
    .where('threadId', '=', sql<ThreadId>`any(${threadIds}::uuid[])`)
    .where('userId', '=', owner.userId)
    .where('answeredAt', 'is', null)
    .execute();
}

/** A gate that was not answered yet. */
export function findGate(trx: OwnedTransaction, owner: Owner, id: GateId): Promise<OpenGate | undefined> {
  return trx
    .selectFrom('gates')
    .select(columns)
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .where('answeredAt', 'is', null)
    .executeTakeFirst();
}

/** The gate of a thread that waits for the output of this call of the caller's tool, its turn's number, and the thread's size in bytes. */
export async function findGateOfCall(
  trx: OwnedTransaction,
  owner: Owner,
  callId: string,
): Promise<(OpenGate & { turnSeq: number; bytes: string }) | undefined> {
  // As text: PostgreSQL can't look inside JSON that has null characters or lone surrogates.
  const written = `"callId":${JSON.stringify(callId)}`;
  const gates = await trx
    .selectFrom('gates')
    .innerJoin('threads', 'threads.id', 'gates.threadId')
    .select([...columns.map((column) => `gates.${column}` as const), 'gates.turnSeq', 'threads.bytes'])
    .where('gates.userId', '=', owner.userId)
    .where('kind', '=', 'external-tool')
    .where('answeredAt', 'is', null)
    .where(sql<number>`strpos(call::text, ${written})`, '>', 0)
    .execute();
  return gates.find(({ call }) => call.callId === callId);
}

/** Newest first, of `owner`. Row-level security lets only the operator see everyone's. */
export function listOpenGates(
  trx: OwnedTransaction,
  owner: Scope,
  { before, limit }: { before?: GateId; limit: number },
): Promise<OpenGate[]> {
  return trx
    .selectFrom('gates')
    .select(columns)
    .where('answeredAt', 'is', null)
    .$if(owner !== 'everyone', (query) => query.where('userId', '=', userOf(owner) as UserId))
    .$if(before !== undefined, (query) => query.where('id', '<', before as GateId))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Closes a gate without an answer, in favour of the turn at `seq`. No permission is decided here. */
export async function closeGate(trx: OwnedTransaction, owner: Owner, id: GateId, seq: number): Promise<void> {
  await close(trx, owner, id, seq).execute();
}

/** Closes a gate that was approved or denied. */
export async function decideGate(trx: Audited<OwnedTransaction>, owner: Owner, id: GateId, seq: number): Promise<void> {
  await close(trx, owner, id, seq).execute();
}

function close(trx: OwnedTransaction, owner: Owner, id: GateId, seq: number) {
  return trx
    .updateTable('gates')
    .set({ answeredAt: sql<Date>`now()`, answeredSeq: seq })
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .where('answeredAt', 'is', null);
}

const columns = ['id', 'threadId', 'turnId', 'kind', 'call', 'userId', 'revision', 'asked', 'createdAt'] as const;
