import type { ProjectId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { MemberRole, ProjectMember } from '#domain/work/project.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** In the order they were added. */
export function listMembers(trx: OwnedTransaction, owner: Owner, id: ProjectId): Promise<ProjectMember[]> {
  return trx
    .selectFrom('projectMembers')
    .select(['member as id', 'role', 'addedAt'])
    .where('userId', '=', owner.userId)
    .where('projectId', '=', id)
    .orderBy('addedAt')
    .orderBy('member')
    .execute();
}

/** Whether this member may write. They stay as they are until the transaction ends. */
export async function holdWriter(trx: OwnedTransaction, owner: Owner, id: ProjectId, member: UserId): Promise<boolean> {
  const row = await trx
    .selectFrom('projectMembers')
    .select('member')
    .where('userId', '=', owner.userId)
    .where('projectId', '=', id)
    .where('member', '=', member)
    .where('role', '=', 'write')
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Adds a member, or changes what they may do. */
export async function upsertMember(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  id: ProjectId,
  { member, role, name }: { readonly member: UserId; readonly role: MemberRole; readonly name: string },
): Promise<void> {
  await trx
    .insertInto('projectMembers')
    .values({ userId: owner.userId, projectId: id, member, role, name })
    .onConflict((conflict) => conflict.columns(['userId', 'projectId', 'member']).doUpdateSet({ role }))
    .execute();
}

/** `owner` is the owner of the project, or the member. Returns whether there was one. */
export async function deleteMember(
  trx: Audited<OwnedTransaction>,
  ownerId: UserId,
  id: ProjectId,
  member: UserId,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('projectMembers')
    .where('userId', '=', ownerId)
    .where('projectId', '=', id)
    .where('member', '=', member)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
