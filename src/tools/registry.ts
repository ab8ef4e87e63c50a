import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { Egress } from '#egress/egress.ts';
import { skillListTool } from './builtin/skill-list.ts';
import { skillReadTool } from './builtin/skill-read.ts';
import { timeTool } from './builtin/time.ts';
import { webFetchTool } from './builtin/web-fetch.ts';
import type { Skills } from './skills/skills.ts';
import type { Tool } from './tool.ts';

/** The tools the agent has of its own, as opposed to those a caller brings along. Tools come and go while it runs. */
export type ToolRegistry = {
  current(): Promise<ToolSet>;
};

/** The tools of one moment. */
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

/** What is always there, and what is installed now. */
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
