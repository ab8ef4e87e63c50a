import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { tokensInContext } from '@reborn-agent/client/count-tokens';
import { formatShare } from '@reborn-agent/client/format';
import type { ThreadState } from '@reborn-agent/client/thread-state';
import { useServices } from '../../app/services.ts';
import { formatNumber } from '../../format/number.ts';

/** From here on there is a number, and from there on a warning. */
const HALF = 0.5;
const NEARLY_FULL = 0.8;

/** How full the model's window was the last time; the whole thread counts towards it. */
export function ContextMeter({ state }: { readonly state: ThreadState }) {
  const { me } = useServices();
  const tokens = tokensInContext(state);
  if (tokens === undefined) return null;
  const window = me.model.context_tokens;
  const share = Math.min(1, tokens / window);
  const exact = t`${formatNumber(tokens)} of ${formatNumber(window)} tokens were in the last prompt and its answer. What is older is summed up when it gets full.`;
  const next = t`Your next message begins with a summary of what was said before.`;
  const colour = share >= NEARLY_FULL ? 'stroke-waiting' : 'stroke-soft';
  return (
    <p
      className="flex items-center gap-2 whitespace-nowrap px-1 tabular-nums"
      title={state.thread?.compact_asked ? next : exact}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true" className="size-4 -rotate-90 fill-none stroke-2">
        <circle cx="8" cy="8" r="6" className="stroke-line" />
        <circle cx="8" cy="8" r="6" pathLength="1" strokeDasharray={`${share} 1`} className={colour} />
      </svg>
      <span className={share < HALF ? 'sr-only' : share >= NEARLY_FULL ? 'text-waiting' : ''}>
        <Trans>{formatShare(share)} of the context</Trans>
      </span>
    </p>
  );
}
