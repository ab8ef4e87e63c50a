import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';

type JsonToolOptions<P> = {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType<P>;
  readonly act: (given: P, owner: ToolContext['owner']) => Promise<object>;
};

/** A tool that checks its arguments and returns JSON. The model reads what is wrong with them. */
export function jsonTool<P>({ name, description, parameters, act }: JsonToolOptions<P>): Tool {
  return {
    definition: { name, description, parameters: z.toJSONSchema(parameters), strict: null },
    repeatable: true,
    level: 'allow', // it changes nothing but the user's own notes
    call: async (argumentsJson, { owner }) => {
      const given = parseArguments(parameters, argumentsJson);
      if ('error' in given) return JSON.stringify(given);
      try {
        return JSON.stringify(await act(given.value, owner));
      } catch (error) {
        if (error instanceof InvalidRequest) return JSON.stringify({ error: `Invalid parameters: ${error.message}` });
        throw error;
      }
    },
  };
}
