import { type MissionId, newId } from '#domain/ids.ts';
import type { Scope, UserId } from '#domain/principal.ts';
import { coversSituation, SITUATIONS, type Situation } from '#domain/thread/origin.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { userOf } from '../scope.ts';

/** An "always" answer: calls of this version of the tool, with arguments of this shape, need no further approval. */
type StandingApproval = {
  readonly id: string;
  readonly userId: UserId;
  readonly tool: string;
  readonly revision: string | null;
  /** One line for each value, in readable form. */
  readonly shape: string;
  /** It applies in this situation and in weaker ones. */
  readonly situation: Situation;
  /** The mission to whose runs it is limited. */
  readonly missionId: MissionId | null;
  readonly createdAt: Date;
};

/** `missionName`: null without a mission, when it was deleted, and for the missions of others. */
export type ListedApproval = StandingApproval & { readonly missionName: string | null };

export type NewStandingApproval = Pick<StandingApproval, 'tool' | 'revision' | 'shape' | 'situation' | 'missionId'> & {
  /** Of tool, revision, shape and mission, for lookup. */
  readonly digest: string;
};

/** Only for answering a gate. One that was given in a weaker situation becomes stronger. */
export async function insertStandingApproval(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  approval: NewStandingApproval,
): Promise<void> {
  await trx
    .insertInto('standingApprovals')
    .values({ ...approval, id: newId(), userId: owner.userId })
    .onConflict((given) =>
      given
        .columns(['userId', 'digest'])
        .doUpdateSet({ situation: approval.situation })
        .where('standingApprovals.situation', 'in', [approval.situation, ...weakerThan(approval.situation)]),
    )
    .execute();
}

const weakerThan = (situation: Situation): Situation[] =>
  SITUATIONS.filter((other) => other !== situation && coversSituation(situation, other));

/** Whether one of these was given, in a situation that covers this one. */
export async function hasStandingApproval(
  trx: OwnedTransaction,
  owner: Owner,
  digests: readonly string[],
  situation: Situation,
): Promise<boolean> {
  const row = await trx
    .selectFrom('standingApprovals')
    .select('id')
    .where('userId', '=', owner.userId)
    .where('digest', 'in', digests)
    .where(
      'standingApprovals.situation',
      'in',
      SITUATIONS.filter((given) => coversSituation(given, situation)),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/** Newest first, of `owner`. Row-level security lets only the operator see everyone's. */
export function listStandingApprovals(trx: OwnedTransaction, owner: Scope): Promise<ListedApproval[]> {
  return trx
    .selectFrom('standingApprovals')
    .leftJoin('missions', (on) =>
      on
        .onRef('missions.id', '=', 'standingApprovals.missionId')
        .onRef('missions.userId', '=', 'standingApprovals.userId'),
    )
    .select([
      'standingApprovals.id',
      'standingApprovals.userId',
      'standingApprovals.tool',
      'standingApprovals.revision',
      'standingApprovals.shape',
      'standingApprovals.situation',
      'standingApprovals.missionId',
      'missions.name as missionName',
      'standingApprovals.createdAt',
    ])
    .$if(owner !== 'everyone', (query) => query.where('standingApprovals.userId', '=', userOf(owner) as UserId))
    .orderBy('standingApprovals.id', 'desc')
    .execute();
}

/** Returns whether there was one. */
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
