import { z } from 'zod';
import type { Skills } from '../skills/skills.ts';
import { INERT, type Tool } from '../tool.ts';
import { shortSchemaOf } from './short-schema.ts';

/** `skill_list`: the skills that the agent can read. Skills are meant to be followed, so the output is trusted. */
export function skillListTool(skills: Pick<Skills, 'list'>): Tool {
  return {
    definition: {
      name: 'skill_list',
      description: 'Lists the skills that can be read: their names, and what each is for.',
      parameters: shortSchemaOf(z.strictObject({})),
      strict: null,
    },
    repeatable: true,
    level: 'allow',
    flow: INERT,
    call: async (_argumentsJson, { owner }) => JSON.stringify({ skills: await skills.list(owner) }),
  };
}
