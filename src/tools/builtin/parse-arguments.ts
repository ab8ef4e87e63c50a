import { z } from 'zod';
import { jsonOf } from '#domain/text/json.ts';

/** The arguments that the model wrote, or an error for the model to read. */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
  argumentsJson: string,
): { readonly value: z.infer<Schema> } | { readonly error: string } {
  // Models write an empty text for "no arguments". Text that is not JSON fails the schema with its message.
  const given = schema.safeParse(jsonOf(argumentsJson || '{}'));
  return given.success ? { value: given.data } : { error: `Invalid parameters: ${z.prettifyError(given.error)}` };
}
