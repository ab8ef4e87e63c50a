import type { ToolLevel } from '#domain/tool/tool.ts';

/** What was read may have misled the model, so that nothing it does from then on happens unasked. */
export function raiseLevel(level: ToolLevel, flags: readonly string[]): ToolLevel {
  return level === 'allow' && flags.length > 0 ? 'ask' : level;
}
