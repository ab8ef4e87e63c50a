import type { z } from 'zod';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import type { Tool, ToolContext, ToolFlow } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';

type ToolOptions<P, Answer> = {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType<P>;
  /** `allow` when left out: it only reads, or changes nothing but the user's own notes and files. */
  readonly level?: ToolLevel;
  /** true when left out. */
  readonly repeatable?: boolean;
  readonly flow: ToolFlow;
  /** Names of what the arguments identify, for the card of an approval. */
  readonly names?: (given: P, owner: ToolContext['owner']) => Promise<Readonly<Record<string, string | null>>>;
  readonly act: (given: P, owner: ToolContext['owner'], context: ToolContext) => Promise<Answer>;
};

/** A tool that checks its arguments and returns JSON. The model reads what is wrong with them. */
export const jsonTool = <P>(options: ToolOptions<P, object>): Tool =>
  checkedTool(options, JSON.stringify, (error) => JSON.stringify({ error }));

/** The same for a tool that returns a text. */
export const textTool = <P>(options: ToolOptions<P, string>): Tool =>
  checkedTool(
    options,
    (text) => text,
    (error) => error,
  );

function checkedTool<P, Answer>(
  { name, description, parameters, level = 'allow', repeatable = true, flow, names, act }: ToolOptions<P, Answer>,
  render: (answer: Answer) => string,
  refuse: (error: string) => string,
): Tool {
  return {
    definition: { name, description, parameters: shortSchemaOf(parameters), strict: null },
    repeatable,
    level,
    flow,
    ...(names && {
      names: async (argumentsJson, owner) => {
        const given = parseArguments(parameters, argumentsJson);
        return 'error' in given ? {} : names(given.value, owner);
      },
    }),
    call: async (argumentsJson, context) => {
      const given = parseArguments(parameters, argumentsJson);
      if ('error' in given) return refuse(given.error);
      try {
        return render(await act(given.value, context.owner, context));
      } catch (error) {
        if (error instanceof InvalidRequest) return refuse(`Invalid parameters: ${error.message}`);
        if (error instanceof NotFound) return refuse(error.message);
        throw error;
      }
    },
  };
}
