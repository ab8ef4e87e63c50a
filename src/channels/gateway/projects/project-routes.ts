import { z } from 'zod';
import type { Projects } from '#agent/projects/projects.ts';
import type { People } from '#auth/people.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { readFields } from '#http/routes/render-as.ts';
import { toOneLine } from '../threads/one-line.ts';
import { assistantField, budgetFields, workFields } from '../work-fields.ts';
import { fullProject, namesIn, project, projectParams, renderFull, renderProject } from './project-shape.ts';

type Services = { readonly projects: Projects; readonly people: People };

const name = z
  .string('name is required and must be a string.')
  .max(100, 'name may have 100 characters.')
  .refine((value) => toOneLine(value) !== '', 'name is required.');

const settings = {
  instructions: workFields.instructions.describe(
    'Instructions for the agent in every thread of the project. null removes them. Members need the role `write`.',
  ),
  model: workFields.model.describe("The caller's default for new threads in it; null for their usual one."),
  assistant: assistantField
    .nullable()
    .optional()
    .describe("The caller's assistant for new threads in it, by its name; null for the usual agent."),
  ...budgetFields,
};

const listProjects = defineRoute({
  method: 'get',
  path: '/api/projects',
  summary: "List the caller's projects, and those that others share with them.",
  responses: {
    200: {
      description: 'By name.',
      json: z.strictObject({ projects: z.array(project) }).meta({ id: 'ProjectList' }),
    },
  },
  async handle({ principal }, { projects, people }: Services) {
    const found = await projects.list(principal);
    const owners = found.map(({ ownerId }) => ownerId);
    const names = await namesIn(people, owners);
    return { projects: found.map((each) => renderProject(each, names, principal)) };
  },
});

const getProject = defineRoute({
  method: 'get',
  path: '/api/projects/{id}',
  summary: 'Get a project with its instructions.',
  params: projectParams,
  responses: { 200: { description: 'The project.', json: fullProject } },
  errors: [404],
  async handle({ principal, params: { id } }, { projects, people }: Services) {
    return renderFull(people, await projects.get(principal, id), principal);
  },
});

const createProject = defineRoute({
  method: 'post',
  path: '/api/projects',
  summary: 'Create a project. Threads are moved into it with `PATCH /api/threads/{id}`.',
  body: z.strictObject({ name, ...settings }).meta({ id: 'NewProject' }),
  freeFields: ['name'],
  responses: { 201: { description: 'The project.', json: fullProject } },
  errors: [400, 409, 413],
  async handle({ principal, body: { name: given, ...rest } }, { projects, people }: Services) {
    return renderFull(people, await projects.create(principal, toOneLine(given), readFields(rest)), principal);
  },
});

const changeProject = defineRoute({
  method: 'patch',
  path: '/api/projects/{id}',
  summary: "Change a project. Name, model, assistant and budgets are the caller's own; instructions are shared.",
  params: projectParams,
  body: z
    .strictObject({ name: name.optional(), ...settings })
    .refine((change) => Object.keys(change).length > 0, 'Send at least one field.')
    .meta({ id: 'ProjectChange' }),
  freeFields: ['name'],
  responses: { 200: { description: 'The project.', json: fullProject } },
  errors: [400, 404, 409, 413],
  async handle({ principal, params: { id }, body: { name: given, ...rest } }, { projects, people }: Services) {
    const change = { ...readFields(rest), ...(given !== undefined && { name: toOneLine(given) }) };
    return renderFull(people, await projects.change(principal, id, change), principal);
  },
});

const deleteProject = defineRoute({
  method: 'delete',
  path: '/api/projects/{id}',
  summary: 'Delete a project with its instructions, notes and files; a member leaves it. Threads stay, in no project.',
  params: projectParams,
  responses: { 204: { description: 'The project is deleted.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { projects }: Services) {
    await projects.remove(principal, id);
  },
});

export const projectRoutes = [listProjects, createProject, getProject, changeProject, deleteProject];
