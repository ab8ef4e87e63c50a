import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { Egress } from '#egress/egress.ts';
import { skillListTool } from './builtin/skill-list.ts';
import { skillReadTool } from './builtin/skill-read.ts';
import { timeTool } from './builtin/time.ts';
import { webFetchTool } from './builtin/web-fetch.ts';
import type { Skills } from './skills/skills.ts';
import type { Tool } from './tool.ts';

/** The service's tools, as opposed to the caller's. Tools can be installed and removed at run time. */
export type ToolRegistry = {
  current(): Promise<ToolSet>;
};

/** The tools at one moment. */
export type ToolSet = {
  find(name: string): Tool | undefined;
  definitions(): readonly ToolDefinition[];
};

export const builtinTools = (egress: Pick<Egress, 'send'>, skills: Pick<Skills, 'list' | 'find'>): Tool[] => [
  timeTool(),
  webFetchTool(egress),
  skillListTool(skills),
  skillReadTool(skills),
];

/** The built-in tools and the installed ones. Built-in tools take precedence. */
export function createRegistry(
  fixed: readonly Tool[],
  installed: () => Promise<readonly Tool[]> = async () => [],
): ToolRegistry {
  return { current: async () => createToolSet([...(await installed()), ...fixed]) };
}

function createToolSet(tools: readonly Tool[]): ToolSet {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  return {
    find: (name) => byName.get(name),
    definitions: () => [...byName.values()].map((tool) => tool.definition),
  };
}
