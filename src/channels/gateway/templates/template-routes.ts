import { z } from 'zod';
import type { PromptTemplates } from '#agent/threads/prompt-templates.ts';
import { type PromptTemplate, TEMPLATE_NAME } from '#domain/prompt-template.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';

type Services = { readonly templates: PromptTemplates };

const template = z
  .strictObject({ name: z.string(), text: z.string(), updated_at: z.iso.datetime() })
  .meta({ id: 'PromptTemplate' });

const params = z.object({ name: z.string().regex(TEMPLATE_NAME, 'This template does not exist.') });

const listTemplates = defineRoute({
  method: 'get',
  path: '/api/templates',
  summary: "List the caller's prompt templates.",
  responses: {
    200: {
      description: 'By name. At most 200.',
      json: z.strictObject({ templates: z.array(template) }).meta({ id: 'PromptTemplateList' }),
    },
  },
  async handle({ principal }, { templates }: Services) {
    return { templates: (await templates.list(principal)).map(renderTemplate) };
  },
});

const putTemplate = defineRoute({
  method: 'put',
  path: '/api/templates/{name}',
  summary: 'Store a prompt template.',
  params,
  body: z
    .strictObject({
      text: z
        .string('text is required and must be a string.')
        .min(1, 'text is required.')
        .max(20_000, 'text may have 20,000 characters.')
        .describe('`{{name}}` is a variable, which the person fills in.'),
    })
    .meta({ id: 'PromptTemplateText' }),
  responses: { 200: { description: 'The template.', json: template } },
  errors: [400, 404, 413],
  async handle({ principal, params: { name }, body: { text } }, { templates }: Services) {
    return renderTemplate(await templates.put(principal, { name, text: text.toWellFormed() }));
  },
});

const deleteTemplate = defineRoute({
  method: 'delete',
  path: '/api/templates/{name}',
  summary: 'Delete a prompt template.',
  params,
  responses: { 204: { description: 'The template is deleted.' } },
  errors: [404],
  async handle({ principal, params: { name } }, { templates }: Services) {
    await templates.remove(principal, name);
  },
});

export const templateRoutes = [listTemplates, putTemplate, deleteTemplate];

const renderTemplate = (found: PromptTemplate): z.infer<typeof template> => renderAs(template, found);
