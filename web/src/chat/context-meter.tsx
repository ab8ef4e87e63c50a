import type { ThreadLog } from './thread-log.ts';

/** How much the model was given the last time; the whole thread counts towards it. */
export function ContextMeter({ log }: { readonly log: ThreadLog }) {
  const tokens = contextOf(log);
  if (tokens === undefined) return null;
  return (
    <p
      className="ml-auto whitespace-nowrap tabular-nums"
      title={`${tokens.toLocaleString('en')} tokens were in the last prompt and its answer`}
    >
      context {formatTokens(tokens)}
    </p>
  );
}

function contextOf(log: ThreadLog): number | undefined {
  for (const turn of log.turns.toReversed()) {
    const entry = turn.entries.findLast((candidate) => candidate.kind !== 'pick-up' && candidate.usage !== null);
    if (entry && entry.kind !== 'pick-up' && entry.usage) return entry.usage.input_tokens + entry.usage.output_tokens;
  }
  return undefined;
}

export function formatTokens(tokens: number): string {
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)}M`;
  return tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
}
