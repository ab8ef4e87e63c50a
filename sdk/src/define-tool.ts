import { InvalidParameters } from './invalid-parameters.ts';
import { createToolHost, type ToolHost } from './tool-host.ts';
import type { HostImports, ToolExports, ToolResponse } from './tool-world.ts';

export type ToolDefinition = {
  /** A description of the tool for the model. */
  readonly description: string;
  /** The JSON Schema of `params`. */
  readonly schema: { readonly [keyword: string]: Json };
  /** Returns the output, or throws an error whose message goes to the model. It can't be async: requests block. */
  readonly execute: (params: unknown, host: ToolHost) => Json;
};

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

export type Tool = { readonly connect: (imports: HostImports) => ToolExports };

/** Creates a tool of the world `reborn:tool` from a description, a schema and a function. */
export function defineTool(definition: ToolDefinition): Tool {
  const schema = JSON.stringify(definition.schema);
  return {
    connect: (imports) => ({
      description: () => definition.description,
      schema: () => schema,
      execute: ({ params }) => run(() => definition.execute(parse(params), createToolHost(imports))),
    }),
  };
}

/** Must not throw: the engine would lose the message. */
function run(execute: () => unknown): ToolResponse {
  try {
    return { output: render(execute()), error: undefined };
  } catch (thrown) {
    return { output: undefined, error: explain(thrown) };
  }
}

function parse(params: string): unknown {
  try {
    return JSON.parse(params);
  } catch (error) {
    throw new InvalidParameters((error as Error).message);
  }
}

function render(result: unknown): string {
  if (result instanceof Promise)
    throw new Error('The tool is async. Its author must make execute a plain function: requests wait by themselves.');

  const output: string | undefined = JSON.stringify(result);
  if (output === undefined) throw new Error('The tool returned nothing. Its author must return a JSON value.');

  return output;
}

function explain(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
    return text.toWellFormed() || 'The tool failed and did not say why.';
  } catch {
    return 'The tool failed and did not say why.';
  }
}
