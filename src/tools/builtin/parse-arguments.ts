import { z } from 'zod';

/** What the model wrote, checked; or words for the model. */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
  argumentsJson: string,
): { readonly value: z.infer<Schema> } | { readonly error: string } {
  const given = schema.safeParse(parseJson(argumentsJson));
  return given.success ? { value: given.data } : { error: `Invalid parameters: ${z.prettifyError(given.error)}` };
}

/** Models write `` for "no arguments"; what is not JSON fails the schema with a message of its own. */
function parseJson(source: string): unknown {
  try {
    return JSON.parse(source || '{}');
  } catch {
    return undefined;
  }
}
