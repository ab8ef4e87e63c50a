import { z } from 'zod';

/** The parameters of a tool as every prompt contains them: without limits of texts and numbers, because a call checks those. */
export function shortSchemaOf(parameters: z.ZodType): Record<string, unknown> {
  const schema: Record<string, unknown> = z.toJSONSchema(parameters, {
    override({ jsonSchema }) {
      for (const limit of ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum'] as const)
        delete jsonSchema[limit];
    },
  });
  delete schema['$schema'];
  return schema;
}
