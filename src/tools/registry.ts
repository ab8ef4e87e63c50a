import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { Egress } from '#egress/egress.ts';
import type { Owner } from '#store/connection.ts';
import { skillListTool } from './builtin/skill-list.ts';
import { skillReadTool } from './builtin/skill-read.ts';
import { timeTool } from './builtin/time.ts';
import { webFetchTool } from './builtin/web-fetch.ts';
import type { Skills } from './skills/skills.ts';
import type { Tool } from './tool.ts';

/** The service's tools for a user, as opposed to the caller's. Tools can be installed and removed at run time. */
export type ToolRegistry = {
  current(owner: Owner): Promise<ToolSet>;
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

/** The built-in tools, the installed ones, and those of servers. The former take precedence over the latter. */
export function createRegistry(
  fixed: readonly Tool[],
  installed: () => Promise<readonly Tool[]> = async () => [],
  ofServers: (owner: Owner) => Promise<readonly Tool[]> = async () => [],
): ToolRegistry {
  return {
    current: async (owner) => createToolSet([...(await ofServers(owner)), ...(await installed()), ...fixed]),
  };
}

function createToolSet(tools: readonly Tool[]): ToolSet {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  return {
    find: (name) => byName.get(name),
    definitions: () => [...byName.values()].map((tool) => tool.definition),
  };
}
