import type { ToolLevel } from '#domain/tool/tool.ts';

/** Flagged content may have misled the model, so every later action needs approval. */
export function raiseLevel(level: ToolLevel, flags: readonly string[]): ToolLevel {
  return level === 'allow' && flags.length > 0 ? 'ask' : level;
}
