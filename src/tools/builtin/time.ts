import { z } from 'zod';
import type { Tool } from '../tool.ts';

const parameters = z.strictObject({
  time_zone: z.string().describe('An IANA time zone such as Europe/Oslo. UTC when left out.').optional(),
});

/** `reborn_time`: what time it is, there being no clock inside a model. */
export function timeTool(now: () => Date = () => new Date()): Tool {
  return {
    definition: {
      name: 'reborn_time',
      description: 'Tells the current date and time.',
      parameters: z.toJSONSchema(parameters),
      strict: null,
    },
    repeatable: true,
    level: 'allow',
    call: async (argumentsJson) => tellTime(argumentsJson, now()),
  };
}

function tellTime(argumentsJson: string, now: Date): string {
  const given = parameters.safeParse(parseJson(argumentsJson));
  if (!given.success) return JSON.stringify({ error: `Invalid parameters: ${z.prettifyError(given.error)}` });
  const timeZone = given.data.time_zone ?? 'UTC';
  try {
    const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone }).format(now);
    return JSON.stringify({ utc: now.toISOString(), time_zone: timeZone, local });
  } catch {
    return JSON.stringify({ error: `Unknown time zone: ${timeZone}` });
  }
}

/** Models write `` for "no arguments"; what is not JSON fails the schema with a message of its own. */
function parseJson(source: string): unknown {
  try {
    return JSON.parse(source || '{}');
  } catch {
    return undefined;
  }
}
