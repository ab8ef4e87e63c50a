import { z } from 'zod';
import { MAX_INSTRUCTIONS, MEMORY_SCOPES } from '#domain/work/work-settings.ts';

const tokens = (name: string) => z.int().min(1).max(1_000_000_000, `${name} is too large.`).nullable().optional();
const usd = (name: string) => z.number().gt(0).max(1_000_000, `${name} is too large.`).nullable().optional();

/** An assistant by its name. */
export const assistantField = z
  .string('assistant must be a name.')
  .min(1, 'assistant must not be empty.')
  .max(100, 'assistant is too long.');

/** `Budgets` in a request. */
export const budgetFields = {
  tokens_per_run: tokens('tokens_per_run').describe('The budget of one run, in all of its turns.'),
  tokens_per_day: tokens('tokens_per_day').describe('The budget of a day (UTC).'),
  usd_per_run: usd('usd_per_run').describe('The budget of one run in US dollars. Unknown prices count as 0.'),
  usd_per_day: usd('usd_per_day').describe('The budget of a day (UTC) in US dollars. Unknown prices count as 0.'),
};

export const shownBudgets = {
  tokens_per_run: z.int().nullable(),
  tokens_per_day: z.int().nullable(),
  usd_per_run: z.number().nullable(),
  usd_per_day: z.number().nullable(),
};

const names = (field: string, of: string) =>
  z
    .array(
      z.string(`${field} must be names.`).regex(/^[\w.-]{1,64}$/, `${field} must be names of ${of}.`),
      `${field} must be a list of names.`,
    )
    .max(100, `${field} may have 100 names.`)
    .nullable()
    .optional();

export const toolsField = names('tools', 'tools');

/** `WorkSettings` in a request. Fields that are left out have a default, or stay as they are. */
export const workFields = {
  instructions: z
    .string('instructions must be a string.')
    .trim()
    .max(MAX_INSTRUCTIONS, `instructions may have ${MAX_INSTRUCTIONS.toLocaleString('en')} characters.`)
    .refine((value) => !value.includes('\u0000'), 'instructions must not contain null characters.')
    .transform((value) => value || null)
    .nullable()
    .optional()
    .describe('Instructions, which follow the identity. They are part of every prompt.'),
  model: z
    .string('model must be a string.')
    .trim()
    .min(1, 'model must not be empty.')
    .max(200, 'model is too long.')
    .nullable()
    .optional()
    .describe('The model that answers when a message names none; null for the default.'),
  tools: toolsField.describe('The only tools that may be used; null for all that the user may use.'),
  skills: names('skills', 'skills').describe('The only skills that may be read; null for all of the user.'),
  memory: z
    .enum(MEMORY_SCOPES, `memory must be one of ${MEMORY_SCOPES.join(', ')}.`)
    .optional()
    .describe(
      "shared: the user's notes. read: the same without writing. own: also reads them, and writes only below its own folder. none: no notes.",
    ),
  ...budgetFields,
};

/** `WorkSettings` in an answer. */
export const shownWork = {
  instructions: z.string().nullable(),
  model: z.string().nullable(),
  tools: z.array(z.string()).nullable(),
  skills: z.array(z.string()).nullable(),
  memory: z.enum(MEMORY_SCOPES),
  ...shownBudgets,
};
