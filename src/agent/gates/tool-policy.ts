import type { GatedCall } from '#domain/tool/gate.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import type { LevelFacts, Tool } from '#tools/tool.ts';

/** Facts about a call besides its tool. */
export type PolicyFacts = LevelFacts & {
  /** The operator's level for the tool. */
  operatorLevel(): Promise<ToolLevel | undefined>;
  /** Whether the user has said "always" to calls like this one. */
  isAlwaysApproved(): Promise<boolean>;
};

/**
 * The level of a call. The operator's setting comes first, then the user's "always", then the tool's own level. The
 * operator's `allow` was given for the version that was reviewed.
 */
export async function levelOf(tool: Tool, call: GatedCall, facts: PolicyFacts): Promise<ToolLevel> {
  const set = await facts.operatorLevel();
  if (set && appliesTo(set, tool)) return set;
  const own = await ownLevel(tool, call, facts);
  return own === 'ask' && (await facts.isAlwaysApproved()) ? 'allow' : own;
}

export const appliesTo = (policy: ToolLevel, tool: Pick<Tool, 'unreviewed'>): boolean =>
  !(policy === 'allow' && tool.unreviewed);

function ownLevel({ level = 'ask' }: Tool, call: GatedCall, facts: LevelFacts): ToolLevel | Promise<ToolLevel> {
  return typeof level === 'function' ? level(call.arguments, facts) : level;
}
