import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import type { Tool, ToolContext } from '../tool.ts';

type JsonToolOptions<P> = {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType<P>;
  readonly act: (given: P, owner: ToolContext['owner']) => Promise<object>;
};

/** A tool that takes checked arguments and gives JSON. What is wrong with the arguments is told to the model. */
export function jsonTool<P>({ name, description, parameters, act }: JsonToolOptions<P>): Tool {
  return {
    definition: { name, description, parameters: z.toJSONSchema(parameters), strict: null },
    repeatable: true,
    level: 'allow', // it changes nothing but the user's own notes
    call: async (argumentsJson, { owner }) => {
      const given = parameters.safeParse(parseJson(argumentsJson));
      if (!given.success) return invalid(z.prettifyError(given.error));
      try {
        return JSON.stringify(await act(given.data, owner));
      } catch (error) {
        if (error instanceof InvalidRequest) return invalid(error.message);
        throw error;
      }
    },
  };
}

const invalid = (problem: string) => JSON.stringify({ error: `Invalid parameters: ${problem}` });

/** Models write `` for "no arguments"; what is not JSON fails the schema with a message of its own. */
function parseJson(source: string): unknown {
  try {
    return JSON.parse(source || '{}');
  } catch {
    return undefined;
  }
}
