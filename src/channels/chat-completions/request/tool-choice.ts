import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';

const MODES = ['none', 'auto', 'required'] as const;

type ToolChoice = (typeof MODES)[number] | { readonly name: string };

export const TOOL_CHOICE = {
  schema: z
    .union([
      z.enum(MODES),
      z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
    ])
    .nullish()
    .describe('Whether the answer may or must be a call of one of `tools`, or which one.'),
  parse: parseToolChoice,
};

function parseToolChoice(value: unknown): ToolChoice {
  const mode = MODES.find((known) => known === (value ?? 'auto'));
  if (mode) return mode;
  const called = isObject(value) && value['type'] === 'function' ? value['function'] : undefined;
  if (isObject(called) && typeof called['name'] === 'string') return { name: called['name'] };
  throw refuse('tool_choice must be none, auto, required, or an object that names a function.');
}

/** The tools that the model gets. When it must call one, it gets no others, not even the agent's. */
export function chooseTools(
  tools: readonly ToolDefinition[],
  choice: ToolChoice,
): { readonly tools: readonly ToolDefinition[]; readonly mustCall: boolean } {
  if (choice === 'none') return { tools: [], mustCall: false };
  if (choice === 'auto') return { tools, mustCall: false };
  const wanted = choice === 'required' ? tools : tools.filter(({ name }) => name === choice.name);
  if (wanted.length === 0) throw refuse('tool_choice asks for a call, and tools has no such function.');
  return { tools: wanted, mustCall: true };
}

const refuse = (message: string) => new InvalidRequest('invalid_request', 'tool_choice', message);
