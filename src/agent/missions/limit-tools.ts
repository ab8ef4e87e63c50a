import type { MissionRun } from '#domain/mission/mission.ts';
import type { ToolSet } from '#tools/tool.ts';
import { noResultTool } from './no-result.ts';

/**
 * The tools of a turn. A mission has at most those that its owner listed, and never the tools that manage missions: a run must
 * not create, change or start one, so that text it reads can't make itself permanent. It can end without a message.
 */
export function limitTools(tools: ToolSet, mission: MissionRun | undefined): ToolSet {
  if (!mission) return tools;
  const isAllowed = (name: string) => !name.startsWith('mission_') && (mission.tools?.includes(name) ?? true);
  const { definition } = noResultTool;
  return {
    find: (name) => (name === definition.name ? noResultTool : isAllowed(name) ? tools.find(name) : undefined),
    definitions: () => [...tools.definitions().filter(({ name }) => isAllowed(name)), definition],
  };
}
