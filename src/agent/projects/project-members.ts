import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { ProjectId } from '#domain/ids.ts';
import { type Principal, requireOperator, type UserId } from '#domain/principal.ts';
import type { User } from '#domain/user.ts';
import { MAX_MEMBERS, type MemberRole, type ProjectMember } from '#domain/work/project.ts';
import { audited, recordAudit } from '#store/audit.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { deleteMember, listMembers, upsertMember } from '#store/projects/project-members.ts';
import { findFilesToGive, giveProjects } from '#store/system/projects/give-projects.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import type { Attachments } from '../attachments/attachments.ts';
import { isUnreachable } from '../attachments/stored-bytes.ts';
import { requireProject } from './projects.ts';

export type ProjectMembers = ReturnType<typeof createProjectMembers>;

type Parts = {
  readonly db: Database;
  readonly system: SystemConnection;
  readonly attachments: Pick<Attachments, 'readAll' | 'store'>;
  readonly getByName: (called: string) => Promise<User>;
};

/** With whom a project is shared. Only its owner sees and changes that. */
export function createProjectMembers({ db, system, attachments, getByName }: Parts) {
  return {
    list: (owner: Principal, id: ProjectId): Promise<ProjectMember[]> =>
      withOwner(db, owner, async (trx) => {
        const { role } = await requireProject(trx, owner, id);
        return role === 'owner' ? listMembers(trx, owner, id) : [];
      }),

    /** Shares it with a person, by their id, email or name, or changes what they may do. */
    async share(owner: Principal, id: ProjectId, person: string, role: MemberRole): Promise<ProjectMember[]> {
      const { id: member } = await getByName(person);
      return withOwner(db, owner, async (trx) => {
        const { name } = await requireOwn(trx, owner, id);
        if (member === owner.userId) throw refuse('person', 'The project is yours.');
        const others = (await listMembers(trx, owner, id)).filter((known) => known.id !== member);
        if (others.length >= MAX_MEMBERS) throw refuse('person', `A project may have ${MAX_MEMBERS} members.`);
        await audited(trx, (writing) => upsertMember(writing, owner, id, { member, role, name }), {
          ...by(owner, 'project.share', id),
          detail: { userId: member, role },
        });
        return listMembers(trx, owner, id);
      });
    },

    /** The threads of the member stay, in their own project without anything that was shared. */
    remove: (owner: Principal, id: ProjectId, member: UserId): Promise<void> =>
      withOwner(db, owner, async (trx) => {
        await requireOwn(trx, owner, id);
        const entry = { ...by(owner, 'project.unshare', id), detail: { userId: member } };
        const removed = await audited(
          trx,
          (writing) => deleteMember(writing, owner.userId, id, member),
          (wasThere) => (wasThere ? entry : 'no right changed'),
        );
        if (!removed) throw new NotFound('This project is not shared with this person.');
      }),

    /** Gives the projects of a user to a member who may write in them. The operator does so before the user is erased. */
    async give(operator: Principal, from: UserId, person: string): Promise<ProjectId[]> {
      requireOperator(operator);
      const heir = await getByName(person);
      const hashes = await findFilesToGive(system, from, heir.id);
      const found = await attachments.readAll({ userId: from }, hashes);
      const away = [...found.values()].find(isUnreachable);
      if (away) throw away;
      const contents = [...found].flatMap(([hash, bytes]) => (Buffer.isBuffer(bytes) ? [[hash, bytes] as const] : []));
      if (contents.length > 0) await attachments.store({ userId: heir.id }, new Map(contents));
      const given = await giveProjects(system, from, heir.id);
      if (given.length === 0) throw refuse('person', `${heir.name} may write in no project of this user.`);
      await recordAudit(db, { ...by(operator, 'project.give', from), detail: { userId: heir.id, projects: given } });
      return given;
    },
  };
}

async function requireOwn(trx: OwnedTransaction, owner: Principal, id: ProjectId) {
  const project = await requireProject(trx, owner, id);
  if (project.role !== 'owner') throw refuse(null, 'Only the owner of a project shares it.');
  return project;
}

const by = ({ userId }: Principal, action: string, subject: string) => ({ actor: userId, action, subject });
const refuse = (param: string | null, message: string) => new InvalidRequest('invalid_request', param, message);
