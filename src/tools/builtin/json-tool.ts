import type { z } from 'zod';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import type { Tool, ToolContext, ToolFlow } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';

type JsonToolOptions<P> = {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType<P>;
  /** `allow` when left out: it only reads, or changes nothing but the user's own notes. */
  readonly level?: ToolLevel;
  /** true when left out. */
  readonly repeatable?: boolean;
  readonly flow: ToolFlow;
  readonly act: (given: P, owner: ToolContext['owner'], context: ToolContext) => Promise<object>;
};

/** A tool that checks its arguments and returns JSON. The model reads what is wrong with them. */
export function jsonTool<P>(options: JsonToolOptions<P>): Tool {
  const { name, description, parameters, level = 'allow', repeatable = true, flow, act } = options;
  return {
    definition: { name, description, parameters: shortSchemaOf(parameters), strict: null },
    repeatable,
    level,
    flow,
    call: async (argumentsJson, context) => {
      const given = parseArguments(parameters, argumentsJson);
      if ('error' in given) return JSON.stringify(given);
      try {
        return JSON.stringify(await act(given.value, context.owner, context));
      } catch (error) {
        if (error instanceof InvalidRequest) return JSON.stringify({ error: `Invalid parameters: ${error.message}` });
        if (error instanceof NotFound) return JSON.stringify({ error: error.message });
        throw error;
      }
    },
  };
}
