import { newId } from '#domain/ids.ts';
import type { Scope, UserId } from '#domain/principal.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { userOf } from '../scope.ts';

/** "Always": calls of this version of the tool, with arguments of this shape, need not be asked about again. */
export type StandingApproval = {
  readonly id: string;
  readonly userId: UserId;
  readonly tool: string;
  readonly revision: string | null;
  /** One line for each value, as people read it. */
  readonly shape: string;
  readonly createdAt: Date;
};

export type NewStandingApproval = Pick<StandingApproval, 'tool' | 'revision' | 'shape'> & {
  /** Of all three, by which it is found. */
  readonly digest: string;
};

/** Only answering a gate may do this. */
export async function insertStandingApproval(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  approval: NewStandingApproval,
): Promise<void> {
  await trx
    .insertInto('standingApprovals')
    .values({ ...approval, id: newId(), userId: owner.userId })
    .onConflict((given) => given.columns(['userId', 'digest']).doNothing())
    .execute();
}

export async function hasStandingApproval(trx: OwnedTransaction, owner: Owner, digest: string): Promise<boolean> {
  const row = await trx
    .selectFrom('standingApprovals')
    .select('id')
    .where('userId', '=', owner.userId)
    .where('digest', '=', digest)
    .executeTakeFirst();
  return row !== undefined;
}

/** The newest first: those of `owner`. Row-level security lets only the operator see everyone's. */
export function listStandingApprovals(trx: OwnedTransaction, owner: Scope): Promise<StandingApproval[]> {
  return trx
    .selectFrom('standingApprovals')
    .select(['id', 'userId', 'tool', 'revision', 'shape', 'createdAt'])
    .$if(owner !== 'everyone', (query) => query.where('userId', '=', userOf(owner) as UserId))
    .orderBy('id', 'desc')
    .execute();
}

/** Whether there was one. */
export async function deleteStandingApproval(
  trx: Audited<OwnedTransaction>,
  owner: Scope,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('standingApprovals')
    .where('id', '=', id)
    .$if(owner !== 'everyone', (query) => query.where('userId', '=', userOf(owner) as UserId))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
