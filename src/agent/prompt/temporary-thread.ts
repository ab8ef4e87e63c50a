import type { TurnContext } from '#engine/statements/turn-context.ts';
import type { ToolSet } from '#tools/tool.ts';

/** Without the tools of the memory, if the thread is temporary; without the one that writes, if the person wants nothing remembered. */
export function withoutMemory(
  tools: ToolSet,
  { temporary, remembers = true }: Pick<TurnContext, 'temporary' | 'remembers'>,
): ToolSet {
  if (!temporary && remembers) return tools;
  const isAllowed = (name: string) => (temporary ? !name.startsWith('memory_') : name !== 'memory_write');
  return {
    find: (name) => (isAllowed(name) ? tools.find(name) : undefined),
    definitions: () => tools.definitions().filter(({ name }) => isAllowed(name)),
  };
}
