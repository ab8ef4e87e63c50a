import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { ToolDefinition } from '#domain/tool.ts';
import { toObjectSchema } from './object-schema.ts';

/** The tools as they are described to the model, which never runs them. */
export function toModelTools(definitions: readonly ToolDefinition[]): LanguageModelV4FunctionTool[] {
  return definitions.map((definition) => ({
    type: 'function',
    name: definition.name,
    ...(definition.description !== null && { description: definition.description }),
    ...(definition.strict !== null && { strict: definition.strict }),
    inputSchema: toObjectSchema(definition.parameters),
  }));
}
