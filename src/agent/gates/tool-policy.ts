import type { GatedCall } from '#domain/tool/gate.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import type { LevelFacts, Tool } from '#tools/tool.ts';

/** What is known about a call besides its tool. */
export type PolicyFacts = LevelFacts & {
  /** What the operator has set for the tool. */
  operatorLevel(): Promise<ToolLevel | undefined>;
  /** Whether the user has said "always" to calls like this one. */
  isAlwaysApproved(): Promise<boolean>;
};

/** Whether a call may be made. The operator's word comes first, then the user's "always", then what the tool says of itself. */
export async function levelOf(tool: Tool, call: GatedCall, facts: PolicyFacts): Promise<ToolLevel> {
  const set = await facts.operatorLevel();
  if (set) return set;
  const own = await ownLevel(tool, call, facts);
  return own === 'ask' && (await facts.isAlwaysApproved()) ? 'allow' : own;
}

/** Names of the agent's own tools, which no installed one can have. They touch nothing but its own notes. */
const INWARD = /^(memory|skill)_/;

function ownLevel({ level, definition }: Tool, call: GatedCall, facts: LevelFacts): ToolLevel | Promise<ToolLevel> {
  if (typeof level === 'function') return level(call.arguments, facts);
  return level ?? (INWARD.test(definition.name) ? 'allow' : 'ask');
}
