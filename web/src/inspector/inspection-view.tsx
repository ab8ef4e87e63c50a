import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { TurnInspection } from '@reborn-agent/client/api';
import { useState } from 'react';
import { wordsOfFailure } from '../failures/failure-words.ts';
import { formatCost, formatNumber } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import { type Mark, StatusMark } from '../parts/status-mark.tsx';
import { CheckedCitations } from './checked-citations.tsx';
import { FromProject } from './from-project.tsx';
import { PromptView } from './prompt-view.tsx';
import { SpanDetail } from './span-detail.tsx';
import { SteeredBy } from './steered-by.tsx';
import { type Span, Waterfall } from './waterfall.tsx';
import { WebUse } from './web-use.tsx';

const MARKS: Record<TurnInspection['status'], Mark> = {
  queued: 'idle',
  running: 'running',
  waiting: 'waiting',
  completed: 'done',
  incomplete: 'waiting',
  failed: 'failed',
  cancelled: 'idle',
};

const statuses = (): Record<TurnInspection['status'], string> => ({
  queued: t`queued`,
  running: t`running`,
  waiting: t`waiting`,
  completed: t`completed`,
  incomplete: t`incomplete`,
  failed: t`failed`,
  cancelled: t`cancelled`,
});

/** A turn: its figures, its waterfall, and what the chosen bar holds. */
export function InspectionView({ turn }: { readonly turn: TurnInspection }) {
  const [chosen, setChosen] = useState<Span>();
  const ended = turn.ended_at ? Date.parse(turn.ended_at) : Date.now();
  const facts: [string, string][] = [
    [t`Took`, formatDuration(ended - Date.parse(turn.created_at))],
    [t`Tokens in`, formatNumber(turn.usage.input_tokens)],
    [t`Tokens out`, formatNumber(turn.usage.output_tokens)],
    [t`Cost`, formatCost(turn.usage.cost_usd)],
    [t`Attempts`, String(turn.attempts)],
    [t`Came by`, turn.channel],
    ...(turn.assistant ? [[t`Assistant`, assistantWords(turn.assistant)] satisfies [string, string]] : []),
  ];
  return (
    <div className="flex flex-col gap-7">
      <div className="flex flex-col gap-3">
        <StatusMark mark={MARKS[turn.status]} words={statuses()[turn.status]} />
        <dl className="grid grid-cols-2 gap-x-5 gap-y-2 sm:grid-cols-3">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt className="text-meta text-soft">{name}</dt>
              <dd className="font-medium tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        {turn.attempts > 1 && (
          <p className="text-meta text-soft">
            <Trans>
              It was started {turn.attempts} times: a process died or handed it over, and the next attempt continued
              from what was stored.
            </Trans>
          </p>
        )}
        {turn.steered_by && <SteeredBy by={turn.steered_by} />}
        {turn.failure && <p className="rounded bg-failed-wash p-3 text-failed">{wordsOfFailure(turn.failure)}</p>}
      </div>
      <Waterfall turn={turn} chosen={chosen} onChoose={setChosen} />
      {chosen && <SpanDetail turn={turn} span={chosen} />}
      <WebUse web={turn.web} />
      <CheckedCitations items={turn.items} />
      {turn.superseded.map((half) => (
        <section key={`${half.attempt} ${half.text.length}`}>
          <h2 className="text-meta text-soft">
            <Trans>Said in attempt {half.attempt + 1}, which was cut off</Trans>
          </h2>
          <p className="whitespace-pre-wrap break-words border-s border-line ps-3 text-soft">{half.text}</p>
        </section>
      ))}
      {turn.project && <FromProject project={turn.project} />}
      <PromptView turn={turn} />
    </div>
  );
}

const assistantWords = ({ name, version }: NonNullable<TurnInspection['assistant']>): string =>
  t`${name}, version ${version}`;
