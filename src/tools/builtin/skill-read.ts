import { z } from 'zod';
import type { Skills } from '../skills/skills.ts';
import { INERT, type Tool } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';

const parameters = z.strictObject({
  name: z.string().describe('The name of the skill.'),
  file: z.string().describe('One of its files. SKILL.md when left out.').optional(),
});

const MAX_TEXT = 60_000;

/** `skill_read`: one file of a skill. Files are looked up by name in the skill, so no path can lead out of it. */
export function skillReadTool(skills: Pick<Skills, 'find'>): Tool {
  return {
    definition: {
      name: 'skill_read',
      description: 'Reads a skill before it is used: how to go about something, and which other files it has.',
      parameters: shortSchemaOf(parameters),
      strict: null,
    },
    repeatable: true,
    level: 'allow',
    flow: INERT,
    async call(argumentsJson, { owner }) {
      const given = parseArguments(parameters, argumentsJson);
      if ('error' in given) return JSON.stringify(given);
      const { name, file = 'SKILL.md' } = given.value;
      const skill = await skills.find(owner, name);
      if (!skill) return JSON.stringify({ error: 'This skill does not exist. skill_list returns all skills.' });

      const files = new Map(Object.entries(skill.files));
      const text = files.get(file);
      if (text === undefined) return JSON.stringify({ error: 'This file does not exist.', files: [...files.keys()] });
      const others = [...files.keys()].filter((path) => path !== file);
      return JSON.stringify({ name, file, text: text.slice(0, MAX_TEXT), cut: text.length > MAX_TEXT, others });
    },
  };
}
