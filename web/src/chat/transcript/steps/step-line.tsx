import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { didSentence, doesSentence, type Part, valuesOf } from '@reborn-agent/client/call-card';
import { textOf } from '@reborn-agent/client/message-text';
import { type ReactNode, useState } from 'react';
import { formatBytes } from '../../../format/number.ts';
import { formatDuration } from '../../../format/time.ts';
import { Icon, type IconName } from '../../../parts/icon.tsx';
import { RunningRing } from '../../../parts/running-ring.tsx';
import { ExactToggle } from '../../gates/asked-calls.tsx';
import { CallSentence, reader } from '../../gates/call-sentence.tsx';
import { CallValues } from '../../gates/call-values.tsx';
import { OriginMark } from '../origin-mark.tsx';
import { ReadableJson } from '../readable-json.tsx';
import type { Step } from '../rows.ts';
import { Elapsed } from '../working.tsx';
import { DecisionLine, isRefusal } from './decision-line.tsx';
import { useToolCards, withCard } from './tool-cards.ts';

/** One call in one line, with a verb for what the tool does; its fold has everything. `joined`: a line leads to the next step. */
export function StepLine({ step, joined = false }: { readonly step: Step; readonly joined?: boolean }) {
  const { output } = step;
  return (
    <details className={`group/step step ${joined ? 'joined' : ''}`}>
      <summary className="flex min-h-target items-center gap-3 rounded text-soft hover:text-ink">
        <StepIcon step={step} />
        <span className="min-w-0 flex-1 truncate">
          <StepWords step={step} />
        </span>
        <span className="shrink-0 text-meta tabular-nums">
          {output?.decided ? <DecisionLine decided={output.decided} /> : <StepTime step={step} />}
        </span>
        <Icon name="right" className="transition-transform group-open/step:rotate-90" />
      </summary>
      <StepFold step={step} />
    </details>
  );
}

function StepIcon({ step: { call, output, waits } }: { readonly step: Step }) {
  if (!output && !waits && call.startedAt !== undefined)
    return (
      <span className="grid size-4 shrink-0 place-items-center">
        <RunningRing />
      </span>
    );
  if (waits) return <Icon name="shield" className="text-waiting" />;
  if (output?.decided) return <Icon name={isRefusal(output.decided) ? 'close' : 'check'} />;
  return <Icon name={iconOf(call.name)} />;
}

const ICONS: readonly (readonly [RegExp, IconName])[] = [
  [/^reborn_(?:file|document)_/, 'file'],
  [/^reborn_web_search|^reborn_tool_search/, 'search'],
  [/^reborn_web_fetch/, 'link'],
  [/^reborn_(?:shell|python)$/, 'code'],
  [/^reborn_time$|^mission_/, 'clock'],
  [/^memory_/, 'memory'],
  [/^skill_/, 'skill'],
];

const iconOf = (name: string): IconName => ICONS.find(([pattern]) => pattern.test(name))?.[1] ?? 'tool';

function StepWords({ step: { call, output, waits } }: { readonly step: Step }) {
  const cards = useToolCards();
  if (!cards) return null;
  const shown = withCard(call, cards);
  const parts = (words: readonly Part[]) => <CallSentence parts={words} />;
  const { decided } = output ?? {};
  if (output && (call.startedAt === undefined || isRefusal(decided)))
    return (
      <>
        <strong className="font-medium text-ink">
          <Trans>Not run:</Trans>
        </strong>{' '}
        {decided?.reason === undefined ? (
          parts(doesSentence(shown, reader()))
        ) : (
          <>
            {parts(doesSentence(shown, reader()))} · <q>{decided.reason}</q>
          </>
        )}
      </>
    );
  if (output) return parts(didSentence(shown, reader()));
  return (
    <span className={waits ? '' : 'text-ink'}>
      {parts(doesSentence(shown, reader()))}
      {call.progress !== undefined && <span className="text-soft"> · {call.progress}</span>}
    </span>
  );
}

/** The arguments with their labels; exactly what ran, what came of it and the name of the tool are one click away. */
export function StepFold({ step: { call, output } }: { readonly step: Step }) {
  const cards = useToolCards();
  const shown = withCard(call, cards ?? new Map());
  const values = valuesOf(shown, reader());
  const [isExact, setExact] = useState(false);
  const result = output ? textOf(output.parts) : '';
  return (
    <div className="mb-3 mt-1 flex min-w-0 flex-col gap-3 ps-7">
      {values && <CallValues call={shown} />}
      {output && (
        <Section title={t`Result, ${formatBytes(new Blob([result]).size)}`}>
          <ReadableJson text={result} />
          {output.reads?.foreign && <OriginMark itemId={output.itemId} isVouched={output.isVouched} />}
        </Section>
      )}
      {values && <ExactToggle isOpen={isExact} onToggle={() => setExact(!isExact)} />}
      {(isExact || !values) && (
        <Section title={<span className="exact">{call.name}</span>}>
          <ReadableJson text={call.arguments} />
        </Section>
      )}
    </div>
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
  if (call.startedAt === undefined || isRefusal(output.decided)) return null;
  return formatDuration((call.endedAt ?? output.at) - call.startedAt);
}

function Section({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className="text-meta text-soft">{title}</p>
      {children}
    </div>
  );
}
