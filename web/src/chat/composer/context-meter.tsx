import { useServices } from '../../app/services.ts';
import type { ThreadLog } from '../thread-log.ts';

/** How full the model's window was the last time; the whole thread counts towards it. */
export function ContextMeter({ log }: { readonly log: ThreadLog }) {
  const { me } = useServices();
  const tokens = contextOf(log);
  if (tokens === undefined) return null;
  const window = me.model.context_tokens;
  const share = Math.min(1, tokens / window);
  const exact = `${tokens.toLocaleString('en')} of ${window.toLocaleString('en')} tokens were in the last prompt and its answer.`;
  return (
    <p
      className="ml-auto flex items-center gap-2 whitespace-nowrap tabular-nums"
      title={`${exact} What is older is summed up when it gets full.`}
    >
      <span aria-hidden="true" className="h-1 w-12 overflow-hidden rounded-full bg-hover">
        <span
          className={`block h-full ${share > 0.8 ? 'bg-waiting' : 'bg-edge'}`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      {formatShare(share)} of the context
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

const formatShare = (share: number) => (share < 0.01 ? '< 1 %' : `${Math.round(share * 100)} %`);

export function formatTokens(tokens: number): string {
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)}M`;
  return tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
}
