import { sql } from 'kysely';
import type { GateId, ItemId } from '#domain/ids.ts';
import type { Answerer } from '#domain/tool/call-decision.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** An approval of one call. `callId` is the item, and `digest` its content as it was shown. */
export type NewApproval = {
  readonly gateId: GateId;
  readonly callId: ItemId;
  readonly digest: string;
  readonly answeredBy: Answerer;
};

/** `answeredBy` is null if a replica of an older version has stored it. */
export type GivenApproval = {
  readonly gateId: GateId;
  readonly answeredBy: Answerer | null;
  readonly createdAt: Date;
};

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

/** What lets exactly this call run, if it is unused and has not expired. */
export function findApproval(
  trx: OwnedTransaction,
  owner: Owner,
  call: Pick<NewApproval, 'callId' | 'digest'>,
): Promise<GivenApproval | undefined> {
  return approvalsOf(trx, owner, call)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** The approval that this call was started with. */
export function findUsedApproval(
  trx: OwnedTransaction,
  owner: Owner,
  call: Pick<NewApproval, 'callId' | 'digest'>,
): Promise<GivenApproval | undefined> {
  return approvalsOf(trx, owner, call).where('usedAt', 'is not', null).executeTakeFirst();
}

const approvalsOf = (trx: OwnedTransaction, owner: Owner, { callId, digest }: Pick<NewApproval, 'callId' | 'digest'>) =>
  trx
    .selectFrom('approvals')
    .select(['gateId', 'answeredBy', 'createdAt'])
    .where('callId', '=', callId)
    .where('digest', '=', digest)
    .where('userId', '=', owner.userId);

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
