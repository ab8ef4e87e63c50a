import { z } from 'zod';
import type { AskedAssistant, Assistants } from '#agent/assistants/assistants.ts';
import type { AssistantId } from '#domain/ids.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { readFields } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import {
  assistant,
  assistantChange,
  assistantVersion,
  newAssistant,
  renderAssistant,
  renderVersion,
} from './assistant-shape.ts';

type Services = { readonly assistants: Assistants };

const path = '/api/assistants/{id}';
const params = z.object({ id: uuid<AssistantId>('This assistant does not exist.') });

const listAssistants = defineRoute({
  method: 'get',
  path: '/api/assistants',
  summary: "List the caller's assistants and those for everyone, by name.",
  responses: {
    200: {
      description: "All that the caller may use. Of two with one name, the caller's own is used.",
      json: z.strictObject({ assistants: z.array(assistant) }).meta({ id: 'AssistantList' }),
    },
  },
  async handle({ principal }, { assistants }: Services) {
    return { assistants: (await assistants.list(principal)).map(renderAssistant) };
  },
});

const createAssistant = defineRoute({
  method: 'post',
  path: '/api/assistants',
  summary: 'Create an assistant: the agent under a name, with its own instructions and limits.',
  body: newAssistant,
  responses: { 201: { description: 'The assistant.', json: assistant } },
  errors: [400, 409, 413],
  async handle({ principal, body: { name, for: holder, ...asked } }, { assistants }: Services) {
    return renderAssistant(await assistants.create(principal, { ...toAsked(asked), name, holder }));
  },
});

const getAssistant = defineRoute({
  method: 'get',
  path,
  summary: 'Get an assistant.',
  params,
  responses: { 200: { description: 'The assistant.', json: assistant } },
  errors: [404],
  async handle({ principal, params: { id } }, { assistants }: Services) {
    return renderAssistant(await assistants.get(principal, id));
  },
});

const updateAssistant = defineRoute({
  method: 'patch',
  path,
  summary: 'Save a new version of an assistant. Fields that are left out stay as they are.',
  params,
  body: assistantChange,
  responses: { 200: { description: 'The new version, which messages get from now on.', json: assistant } },
  errors: [400, 404, 413],
  async handle({ principal, params: { id }, body }, { assistants }: Services) {
    return renderAssistant(await assistants.update(principal, id, toAsked(body)));
  },
});

const deleteAssistant = defineRoute({
  method: 'delete',
  path,
  summary: 'Delete an assistant. Messages that it has accepted are still answered.',
  params,
  responses: { 204: { description: 'The assistant is deleted.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { assistants }: Services) {
    await assistants.delete(principal, id);
  },
});

const listVersions = defineRoute({
  method: 'get',
  path: `${path}/versions`,
  summary: 'List the versions of an assistant, newest first. They never change.',
  params,
  responses: {
    200: {
      description: 'Up to 100 versions.',
      json: z.strictObject({ versions: z.array(assistantVersion) }).meta({ id: 'AssistantVersionList' }),
    },
  },
  errors: [404],
  async handle({ principal, params: { id } }, { assistants }: Services) {
    return { versions: (await assistants.versions(principal, id)).map(renderVersion) };
  },
});

export const assistantRoutes = [
  listAssistants,
  createAssistant,
  getAssistant,
  updateAssistant,
  deleteAssistant,
  listVersions,
];

const toAsked = ({ description, ...work }: z.infer<typeof assistantChange>): AskedAssistant => ({
  ...(description !== undefined && { description }),
  settings: readFields(work),
});
