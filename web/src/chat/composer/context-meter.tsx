import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { formatShare } from '@reborn-agent/client/format';
import { type ThreadState, tokensInContext } from '@reborn-agent/client/thread-state';
import { useServices } from '../../app/services.ts';
import { formatNumber } from '../../format/number.ts';

/** How full the model's window was the last time; the whole thread counts towards it. */
export function ContextMeter({ state }: { readonly state: ThreadState }) {
  const { me } = useServices();
  const tokens = tokensInContext(state);
  if (tokens === undefined) return null;
  const window = me.model.context_tokens;
  const share = Math.min(1, tokens / window);
  const exact = t`${formatNumber(tokens)} of ${formatNumber(window)} tokens were in the last prompt and its answer. What is older is summed up when it gets full.`;
  return (
    <p className="ms-auto flex items-center gap-2 whitespace-nowrap tabular-nums" title={exact}>
      <span aria-hidden="true" className="h-1 w-12 overflow-hidden rounded-full bg-hover">
        <span
          className={`block h-full ${share > 0.8 ? 'bg-waiting' : 'bg-edge'}`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <Trans>{formatShare(share)} of the context</Trans>
    </p>
  );
}
