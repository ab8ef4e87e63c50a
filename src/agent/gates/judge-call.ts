import { coversSituation, type Situation } from '#domain/thread/origin.ts';
import type { AllowedBy } from '#domain/tool/allowed-by.ts';
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
  /** Whether the person has approved research in this run, and its pages are not used up. */
  isResearch(): Promise<boolean>;
};

/** `by`: what lets it run. `reason`: what makes it ask. `address`: how the question is put, if it is about an address. */
export type JudgedCall = {
  readonly level: ToolLevel;
  readonly by?: AllowedBy;
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
  const { level, isDecided } = levelBefore(tool, await facts.operatorLevel(), facts.read.situation);
  if (isDecided)
    return { level, ...(level === 'ask' && { reason: 'policy' }), ...(level === 'allow' && { by: 'policy' }) };
  const judged = await judgeFlow(tool, call, level, facts);
  return judged.level === 'ask' && (await facts.isAlwaysApproved()) ? { level: 'allow', by: 'always' } : judged;
}

/** The level of a tool before its flow is asked. `isDecided`: the operator has set it for this situation, so nothing else is. */
export function levelBefore(
  tool: Pick<Tool, 'level' | 'unreviewed'>,
  policy: SetLevel | undefined,
  situation: Situation,
): { readonly level: ToolLevel; readonly isDecided: boolean } {
  if (!policy || !appliesTo(policy.level, tool)) return { level: tool.level ?? 'ask', isDecided: false };
  return { level: policy.level, isDecided: policy.level !== 'allow' || coversSituation(policy.after, situation) };
}

/** The operator's `allow` was given for the version that was reviewed. */
export const appliesTo = (policy: ToolLevel, tool: Pick<Tool, 'unreviewed'>): boolean =>
  !(policy === 'allow' && tool.unreviewed);

async function judgeFlow(tool: Tool, call: GatedCall, level: ToolLevel, facts: CallFacts): Promise<JudgedCall> {
  if (level !== 'allow') return { level, reason: 'tool' };
  const { runs } = flowOf(tool, call.arguments);
  const isClean = facts.read.situation === 'clean';
  if (runs === 'always') return { level, by: 'tool' };
  if (runs === 'clean') return isClean ? { level, by: 'clean' } : ASKS;
  const first = await runs(call.arguments, facts.read, facts.owner);
  const isCovered = typeof first === 'object' && first.kind === 'repeated' && (await facts.isResearch());
  const judged = isCovered ? await runs(call.arguments, { ...facts.read, isResearch: true }, facts.owner) : first;
  if (judged === 'runs' && isCovered) return { level, by: 'research' };
  if (judged === 'runs') return { level, by: isClean ? 'clean' : 'tool' };
  if (judged === 'asks') return ASKS;
  const isGranted = judged.kind === 'link' && (await facts.isSiteGranted(judged.site));
  return isGranted ? { level, by: 'site' } : { level: 'ask', reason: 'address', address: judged };
}

const ASKS: JudgedCall = { level: 'ask', reason: 'origin' };
