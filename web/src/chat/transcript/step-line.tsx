import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { outlineArguments } from '@reborn-agent/client/format';
import { textOf } from '@reborn-agent/client/thread-state';
import { formatBytes } from '../../format/number.ts';
import { formatDuration } from '../../format/time.ts';
import { Icon } from '../../parts/icon.tsx';
import { OriginMark } from './origin-mark.tsx';
import { ReadableJson } from './readable-json.tsx';
import type { Step } from './rows.ts';
import { Elapsed } from './working.tsx';

/** One call in one line; its fold has everything. */
export function StepLine({ step }: { readonly step: Step }) {
  const { call, output } = step;
  const result = output ? textOf(output.parts) : '';
  return (
    <details className="group/step">
      <summary className="flex min-h-target -mx-2 items-center gap-2 rounded px-2 hover:bg-hover">
        <Icon name={step.waits ? 'warning' : 'tool'} className={step.waits ? 'text-waiting' : 'text-soft'} />
        <span className="shrink-0 font-medium">{call.name}</span>
        <span className="min-w-0 flex-1 truncate text-soft">
          {(!output && call.progress) || outlineArguments(call.arguments)}
        </span>
        <span className="shrink-0 text-meta tabular-nums text-soft">
          <StepTime step={step} />
        </span>
        <Icon name="right" className="text-soft transition-transform group-open/step:rotate-90" />
      </summary>
      <div className="mb-3 ms-3 mt-1 flex flex-col gap-3 border-s border-line ps-4">
        <Fold title={t`Arguments`}>
          <ReadableJson text={call.arguments} />
        </Fold>
        {output && (
          <Fold title={t`Result, ${formatBytes(new Blob([result]).size)}`}>
            <ReadableJson text={result} />
            {output.reads?.foreign && <OriginMark itemId={output.itemId} isVouched={output.isVouched} />}
          </Fold>
        )}
      </div>
    </details>
  );
}

export function StepTime({ step: { call, output, waits } }: { readonly step: Step }) {
  if (waits)
    return (
      <span className="text-waiting">
        <Trans>waits</Trans>
      </span>
    );
  if (!output) return call.startedAt === undefined ? t`not run yet` : <Elapsed since={call.startedAt} />;
  if (call.startedAt === undefined) return t`not run`;
  return formatDuration((call.endedAt ?? output.at) - call.startedAt);
}

function Fold({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <p className="text-meta text-soft">{title}</p>
      {children}
    </div>
  );
}
