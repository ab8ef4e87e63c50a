import { coversSituation } from '#domain/thread/origin.ts';
import type { AskReason, GatedCall } from '#domain/tool/gate.ts';
import type { AddressQuestion, ReadSoFar } from '#domain/tool/read-so-far.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import type { Owner } from '#store/connection.ts';
import { flowOf, type Tool } from '#tools/tool.ts';
import type { SetLevel } from './policy-settings.ts';

/** Facts about a call besides its tool. */
export type CallFacts = {
  readonly owner: Owner;
  /** What the model had read when it wrote the call. */
  readonly read: ReadSoFar;
  /** The operator's level for the tool, and how far it applies. */
  operatorLevel(): Promise<SetLevel | undefined>;
  /** Whether the person has said "always" to calls like this one, in this situation or in a stronger one. */
  isAlwaysApproved(): Promise<boolean>;
  /** Whether the person has approved the links of a site for this run. */
  isSiteGranted(site: string): Promise<boolean>;
};

/** `reason`: what makes the call ask. `address`: how the question is put, if it is about an address. */
export type JudgedCall = {
  readonly level: ToolLevel;
  readonly reason?: AskReason;
  readonly address?: AddressQuestion;
};

/**
 * Whether a call runs at once, by who decided it and by what the model has read:
 *
 * 1. The operator's `never` and `ask` apply always, and `allow` in the situations that it was set for.
 * 2. Otherwise a call that the tool's own level allows runs if the tool's flow says so for what was read.
 * 3. A call that needs an approval runs if the person has said "always" to such calls, in this situation or in a stronger one.
 */
export async function judgeCall(tool: Tool, call: GatedCall, facts: CallFacts): Promise<JudgedCall> {
  const set = await facts.operatorLevel();
  const { situation } = facts.read;
  if (set && appliesTo(set.level, tool) && (set.level !== 'allow' || coversSituation(set.after, situation)))
    return { level: set.level, ...(set.level === 'ask' && { reason: 'policy' }) };
  const level = set && appliesTo(set.level, tool) ? set.level : (tool.level ?? 'ask');
  const judged = await judgeFlow(tool, call, level, facts);
  return judged.level === 'ask' && (await facts.isAlwaysApproved()) ? { level: 'allow' } : judged;
}

/** The operator's `allow` was given for the version that was reviewed. */
export const appliesTo = (policy: ToolLevel, tool: Pick<Tool, 'unreviewed'>): boolean =>
  !(policy === 'allow' && tool.unreviewed);

async function judgeFlow(tool: Tool, call: GatedCall, level: ToolLevel, facts: CallFacts): Promise<JudgedCall> {
  if (level !== 'allow') return { level, reason: 'tool' };
  const { runs } = flowOf(tool);
  if (runs === 'always') return { level };
  if (runs === 'clean') return facts.read.situation === 'clean' ? { level } : ASKS;
  const judged = await runs(call.arguments, facts.read, facts.owner);
  if (judged === 'runs') return { level };
  if (judged === 'asks') return ASKS;
  const isGranted = judged.kind === 'link' && (await facts.isSiteGranted(judged.site));
  return isGranted ? { level } : { level: 'ask', reason: 'address', address: judged };
}

const ASKS: JudgedCall = { level: 'ask', reason: 'origin' };
