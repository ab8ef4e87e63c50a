import type { Subagent } from '@reborn-agent/client/subagents';
import type { Step } from '../rows.ts';
import { codeRunOf } from './code-run.ts';

export type SubagentStep = Step & { readonly subagents: readonly Subagent[] };

/** What a row of steps shows, one below the other. */
export type Piece =
  | { readonly kind: 'step' | 'code'; readonly step: Step }
  /** Calls in a row that have each started a subagent. */
  | { readonly kind: 'subagents'; readonly steps: readonly SubagentStep[] }
  /** At least two finished steps in one line. */
  | { readonly kind: 'fold'; readonly steps: readonly Step[] };

/** Folds finished steps if text follows. Code, subagents, and calls that a person was asked about, are never folded. */
export function piecesOf(steps: readonly Step[], followed: boolean): readonly Piece[] {
  const pieces: Piece[] = [];
  let folded: Step[] = [];
  const close = () => {
    const [only] = folded;
    if (only) pieces.push(folded.length === 1 ? { kind: 'step', step: only } : { kind: 'fold', steps: folded });
    folded = [];
  };
  for (const step of steps) {
    const isCode = codeRunOf(step.call) !== undefined;
    if (isSubagents(step)) {
      close();
      const last = pieces.at(-1);
      if (last?.kind === 'subagents') pieces[pieces.length - 1] = { ...last, steps: [...last.steps, step] };
      else pieces.push({ kind: 'subagents', steps: [step] });
      continue;
    }
    if (followed && !isCode && step.output && !step.output.decided) {
      folded.push(step);
      continue;
    }
    close();
    pieces.push({ kind: isCode ? 'code' : 'step', step });
  }
  close();
  return pieces;
}

const isSubagents = (step: Step): step is SubagentStep => step.subagents !== undefined;
