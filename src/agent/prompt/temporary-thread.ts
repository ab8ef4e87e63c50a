import type { TurnContext } from '#engine/statements/turn-context.ts';
import type { ToolSet } from '#tools/tool.ts';

/** Without the tools of the memory, if the thread is temporary. */
export function withoutMemory(tools: ToolSet, { temporary }: Pick<TurnContext, 'temporary'>): ToolSet {
  if (!temporary) return tools;
  const isAllowed = (name: string) => !name.startsWith('memory_');
  return {
    find: (name) => (isAllowed(name) ? tools.find(name) : undefined),
    definitions: () => tools.definitions().filter(({ name }) => isAllowed(name)),
  };
}
