import type { DelegationLimits } from '#domain/delegation/delegation.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { ToolSet } from '#tools/tool.ts';

/** Without the tools that start children, where the turn may start none: at the deepest level, or if a call is asked for. */
export function limitDelegation(
  tools: ToolSet,
  turn: Pick<Turn, 'child'>,
  limits: DelegationLimits | undefined,
): ToolSet {
  if ((turn.child?.depth ?? 0) < (limits?.depth ?? 0)) return tools;
  const isAllowed = (name: string) => !tools.find(name)?.delegates;
  return {
    find: (name) => (isAllowed(name) ? tools.find(name) : undefined),
    definitions: () => tools.definitions().filter(({ name }) => isAllowed(name)),
  };
}
