import { z } from 'zod';
import type { ProjectMembers } from '#agent/projects/project-members.ts';
import type { People } from '#auth/people.ts';
import { MEMBER_ROLES, type ProjectMember } from '#domain/work/project.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { namesIn, projectParams } from './project-shape.ts';

type Services = { readonly projectMembers: ProjectMembers; readonly people: People };

const role = z
  .enum(MEMBER_ROLES, 'role must be read or write.')
  .describe('`write`: may also change instructions, notes and files.');

const member = z
  .strictObject({ id: z.string(), name: z.string().nullable(), role, added_at: z.iso.datetime() })
  .meta({ id: 'ProjectMember' });
const memberList = z.strictObject({ members: z.array(member) }).meta({ id: 'ProjectMemberList' });

async function render(people: People, members: readonly ProjectMember[]): Promise<z.infer<typeof memberList>> {
  const ids = members.map(({ id }) => id);
  const names = await namesIn(people, ids);
  return { members: members.map((each) => renderAs(member, each, { name: names.get(each.id) ?? null })) };
}

const listMembers = defineRoute({
  method: 'get',
  path: '/api/projects/{id}/members',
  summary: 'List with whom a project is shared.',
  params: projectParams,
  responses: {
    200: { description: 'In the order they were added. Only the owner sees them.', json: memberList },
  },
  errors: [404],
  async handle({ principal, params: { id } }, { projectMembers, people }: Services) {
    return render(people, await projectMembers.list(principal, id));
  },
});

const named = z
  .string('person is required and must be a string.')
  .trim()
  .min(1, 'person is required.')
  .max(320, 'person is too long.')
  .describe('Their id, their email address or their exact name.');

const shareProject = defineRoute({
  method: 'post',
  path: '/api/projects/{id}/members',
  summary: 'Share a project with a user of this installation, or change what they may do.',
  params: projectParams,
  body: z.strictObject({ person: named, role }).meta({ id: 'NewProjectMember' }),
  responses: { 200: { description: 'All members.', json: memberList } },
  errors: [400, 404, 413],
  async handle({ principal, params: { id }, body }, { projectMembers, people }: Services) {
    return render(people, await projectMembers.share(principal, id, body.person, body.role));
  },
});

const unshareProject = defineRoute({
  method: 'delete',
  path: '/api/projects/{id}/members/{member}',
  summary: 'Stop sharing a project with a user. Their threads stay theirs, without anything that was shared.',
  params: projectParams.extend({ member: z.string() }),
  responses: { 204: { description: 'It is not shared with them any more.' } },
  errors: [400, 404],
  async handle({ principal, params }, { projectMembers }: Services) {
    await projectMembers.remove(principal, params.id, params.member);
  },
});

const giveProjects = defineRoute({
  method: 'post',
  path: '/api/users/{id}/give-projects',
  summary: 'Give the projects of a user to a member who may write in them, such as before the user is erased.',
  access: 'operator',
  params: z.object({ id: z.string() }),
  body: z.strictObject({ person: named }).meta({ id: 'ProjectHeir' }),
  responses: {
    200: {
      description: 'The projects that were given.',
      json: z.strictObject({ projects: z.array(z.uuid()) }).meta({ id: 'GivenProjects' }),
    },
  },
  errors: [400, 413],
  async handle({ principal, params: { id }, body }, { projectMembers }: Services) {
    return { projects: await projectMembers.give(principal, id, body.person) };
  },
});

export const projectMemberRoutes = [listMembers, shareProject, unshareProject, giveProjects];
