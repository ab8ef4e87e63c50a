import type { DelegationLimits, StartOutcome } from '#domain/delegation/delegation.ts';
import { cutBytes } from '#domain/text/cut.ts';
import { type OutputReads, textOf } from '#domain/thread/item.ts';
import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import type { UndeliveredChild } from '#engine/statements/delegations.ts';

/** A longer report is cut. The rest stays in the thread of the child. */
const MOST_BYTES = 32 * 1024;

/**
 * What a run gets of a child that has ended: its last message, or why there is none. The message carries what the child had read,
 * because the words of others may speak in it; the words of the service carry nothing.
 */
export function reportOf({ outcome, failure, last }: UndeliveredChild): { words: string; reads: OutputReads } {
  const said = last?.type === 'message' && last.role === 'assistant' ? textOf(last.content).trim() : '';
  const reads = (last?.type === 'message' && last.reads) || FOREIGN_AND_PRIVATE;
  const { kept, note } = cutBytes(said, MOST_BYTES);
  const report = kept + note;
  switch (outcome) {
    case 'completed':
      return said === '' ? { words: 'completed without a report', reads: {} } : { words: report, reads };
    case 'incomplete':
      return said === ''
        ? { words: 'incomplete: the subagent has said nothing', reads: {} }
        : { words: `incomplete: ${report}`, reads };
    case 'failed':
      return { words: `failed: ${failure?.code ?? 'internal_error'}`, reads: {} };
    default:
      return { words: outcome ?? 'deleted', reads: {} };
  }
}

type Refusal = Exclude<StartOutcome, 'started' | 'known' | 'busy' | 'lost'>;

/** Why a call has started no child, in words for the model. */
export function describeRefusal(outcome: Refusal, limits: DelegationLimits): string {
  return `Not started: ${REASONS[outcome](limits)} Continue without it.`;
}

const REASONS: Readonly<Record<Refusal, (limits: DelegationLimits) => string>> = {
  depth: () => 'subagents start no others here.',
  active: ({ active }) => `${active} subagents are at work, the most at the same time.`,
  run: ({ perRun }) => `${perRun} subagents were started for this input, the most there can be.`,
  tree: ({ perTree }) => `${perTree} subagents were started for this input and below it, the most there can be.`,
  budget: () => 'the budget of this run leaves nothing for it.',
  cancelled: () => 'the run is being stopped.',
};
