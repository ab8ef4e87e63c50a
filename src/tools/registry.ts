import type { ToolDefinition } from '#domain/tool.ts';
import { timeTool } from './builtin/time.ts';
import type { Tool } from './tool.ts';

/** The tools the agent has of its own, as opposed to those a caller brings along. */
export type ToolRegistry = {
  find(name: string): Tool | undefined;
  definitions(): readonly ToolDefinition[];
};

export const builtinTools = (): Tool[] => [timeTool()];

export function createRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  return {
    find: (name) => byName.get(name),
    definitions: () => tools.map((tool) => tool.definition),
  };
}
