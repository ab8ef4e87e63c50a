import { flowOf, type Tool } from '#tools/tool.ts';
import { levelBefore } from './judge-call.ts';
import type { SetLevel } from './policy-settings.ts';

/** The part of a tool that decides this, which is known without connecting to anything. */
export type ToolRights = Pick<Tool, 'level' | 'flow' | 'unreviewed'>;

/**
 * Whether every call of the tool needs an approval once the model has read text by others, as `judgeCall` decides it without
 * "always". A tool that decides for each call, such as one that opens addresses, is not meant.
 */
export function asksAfterOthers(tool: ToolRights, policy: SetLevel | undefined): boolean {
  const { level, isDecided } = levelBefore(tool, policy, 'foreign');
  if (level !== 'allow') return level === 'ask';
  return !isDecided && flowOf(tool).runs === 'clean';
}
