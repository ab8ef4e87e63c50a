import type { ThreadState } from './thread-state.ts';
import type { TurnState } from './turn-state.ts';

/** How many tokens the last prompt and its answer had. */
export function tokensInContext({ turns }: Pick<ThreadState, 'turns'>): number | undefined {
  for (const turn of turns.toReversed()) {
    const entry = turn.entries.findLast((candidate) => candidate.kind !== 'pick-up' && candidate.usage !== null);
    if (entry && entry.kind !== 'pick-up' && entry.usage) return entry.usage.input_tokens + entry.usage.output_tokens;
  }
  return undefined;
}

const LETTERS_PER_TOKEN = 4;

/** About how many tokens the model has written in a turn: its provider counts them only afterwards. */
export function tokensWritten({ entries }: TurnState): number {
  const letters = entries.map((entry) => {
    if (entry.kind === 'message') return entry.role === 'assistant' ? entry.text.length : 0;
    return entry.kind === 'call' ? entry.arguments.length : 0;
  });
  return Math.ceil(letters.reduce((sum, count) => sum + count, 0) / LETTERS_PER_TOKEN);
}
