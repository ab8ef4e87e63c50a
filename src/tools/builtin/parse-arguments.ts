import { z } from 'zod';

/** The arguments that the model wrote, or an error for the model to read. */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
  argumentsJson: string,
): { readonly value: z.infer<Schema> } | { readonly error: string } {
  const given = schema.safeParse(parseJson(argumentsJson));
  return given.success ? { value: given.data } : { error: `Invalid parameters: ${z.prettifyError(given.error)}` };
}

/** Models write an empty text for "no arguments". Text that is not JSON fails the schema with its message. */
function parseJson(source: string): unknown {
  try {
    return JSON.parse(source || '{}');
  } catch {
    return undefined;
  }
}
