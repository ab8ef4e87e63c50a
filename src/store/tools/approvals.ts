import { sql } from 'kysely';
import type { GateId, ItemId } from '#domain/ids.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** An approval of one call. `callId` is the item, and `digest` its content as it was shown. */
export type NewApproval = { readonly gateId: GateId; readonly callId: ItemId; readonly digest: string };

/** One gate can approve several calls. */
export type UsedApproval = Pick<NewApproval, 'gateId' | 'callId'>;

/** Long enough for a busy service to run the call; an approved call that never ran must not run much later. */
const GOOD_FOR = '15 minutes';

/** Only for answering a gate. */
export async function insertApproval(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  approval: NewApproval,
): Promise<void> {
  await trx
    .insertInto('approvals')
    .values({ ...approval, userId: owner.userId, expiresAt: sql<Date>`now() + ${GOOD_FOR}::interval` })
    .execute();
}

/** The gate whose answer lets exactly this call run, if the approval is unused and has not expired. */
export async function findApproval(
  trx: OwnedTransaction,
  owner: Owner,
  { callId, digest }: Pick<NewApproval, 'callId' | 'digest'>,
): Promise<GateId | undefined> {
  const row = await trx
    .selectFrom('approvals')
    .select('gateId')
    .where('callId', '=', callId)
    .where('digest', '=', digest)
    .where('userId', '=', owner.userId)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row?.gateId;
}

/** Whether this call was started with an approval. */
export async function hasUsedApproval(
  trx: OwnedTransaction,
  owner: Owner,
  { callId, digest }: Pick<NewApproval, 'callId' | 'digest'>,
): Promise<boolean> {
  const row = await trx
    .selectFrom('approvals')
    .select('gateId')
    .where('callId', '=', callId)
    .where('digest', '=', digest)
    .where('userId', '=', owner.userId)
    .where('usedAt', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses up the approval. If it returns false, the call must not run. */
export async function useApproval(trx: OwnedTransaction, owner: Owner, used: UsedApproval): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('approvals')
    .set({ usedAt: sql<Date>`now()` })
    .where('gateId', '=', used.gateId)
    .where('callId', '=', used.callId)
    .where('userId', '=', owner.userId)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Gives back the approval of a call that has not run after all. */
export async function restoreApproval(trx: OwnedTransaction, owner: Owner, used: UsedApproval): Promise<void> {
  await trx
    .updateTable('approvals')
    .set({ usedAt: null })
    .where('gateId', '=', used.gateId)
    .where('callId', '=', used.callId)
    .where('userId', '=', owner.userId)
    .execute();
}
