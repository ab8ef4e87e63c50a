import { z } from 'zod';
import { INERT, type Tool } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';

const parameters = z.strictObject({
  time_zone: z.string().describe('An IANA time zone such as Europe/Oslo. UTC when left out.').optional(),
});

/** `reborn_time`: the current time. */
export function timeTool(now: () => Date = () => new Date()): Tool {
  return {
    definition: {
      name: 'reborn_time',
      description: 'Tells the current date and time.',
      parameters: shortSchemaOf(parameters),
      strict: null,
    },
    repeatable: true,
    level: 'allow',
    flow: INERT,
    call: async (argumentsJson) => tellTime(argumentsJson, now()),
  };
}

function tellTime(argumentsJson: string, now: Date): string {
  const given = parseArguments(parameters, argumentsJson);
  if ('error' in given) return JSON.stringify(given);
  const timeZone = given.value.time_zone ?? 'UTC';
  try {
    const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone }).format(now);
    return JSON.stringify({ utc: now.toISOString(), time_zone: timeZone, local });
  } catch {
    return JSON.stringify({ error: `Unknown time zone: ${timeZone}` });
  }
}
