import { z } from 'zod';
import { holderOf } from '#agent/assistants/assistants.ts';
import { type Assistant, type AssistantVersion, modelOfAssistant } from '#domain/work/assistant.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { shownWork, workFields } from '../work-fields.ts';

const description = z
  .string('description must be a string.')
  .trim()
  .max(500, 'description may have 500 characters.')
  .refine((value) => !value.includes('\u0000'), 'description must not contain null characters.')
  .describe('What it is for, in a sentence.');

export const newAssistant = z
  .strictObject({
    name: z.string('name is required and must be a string.').max(100, 'name is too long.'),
    for: z
      .enum(['me', 'everyone'], 'for must be me or everyone.')
      .default('me')
      .describe('Who may use it. An operator can make one for `everyone`.'),
    description: description.optional(),
    ...workFields,
  })
  .meta({ id: 'NewAssistant' });

export const assistantChange = z
  .strictObject({ description: description.optional(), ...workFields })
  .meta({ id: 'AssistantChange' });

const version = {
  version: z.int().min(1),
  description: z.string(),
  ...shownWork,
  written_by: z.string().describe('The user who saved this version.'),
  written_at: z.iso.datetime(),
};

export const assistantVersion = z.strictObject(version).meta({ id: 'AssistantVersion' });

export const assistant = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    model_name: z.string().describe('What to send as `model` to the Responses API or chat completions.'),
    for: z.enum(['me', 'everyone']),
    created_at: z.iso.datetime(),
    ...version,
  })
  .meta({ id: 'Assistant' });

export const renderVersion = ({ settings, ...saved }: AssistantVersion): z.infer<typeof assistantVersion> =>
  renderAs(assistantVersion, { ...saved, ...settings });

export const renderAssistant = ({ settings, ...found }: Assistant): z.infer<typeof assistant> =>
  renderAs(assistant, { ...found, ...settings }, { model_name: modelOfAssistant(found.name), for: holderOf(found) });
