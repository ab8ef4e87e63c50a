import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { textOf } from '@reborn-agent/client/message-text';
import { Suspense, useState } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import { lazyPart } from '../../../parts/lazy-part.ts';
import { RunningRing } from '../../../parts/running-ring.tsx';
import { OriginMark } from '../origin-mark.tsx';
import type { Step } from '../rows.ts';
import { type CodeRun, codeResultOf } from './code-run.ts';
import { DecisionLine } from './decision-line.tsx';
import { StepTime } from './step-line.tsx';

const CodeLines = lazyPart(() => import('../../../files/code-lines.tsx').then((module) => module.CodeLines));

/** How many lines of the output are shown while code runs, and afterwards. */
const LIVE_LINES = 8;
const SHOWN_LINES = 12;

/** A call that runs code: what it does, its output as it comes, how it ended, and what it has changed. */
export function CodeCard({ step, run }: { readonly step: Step; readonly run: CodeRun }) {
  const { call, output, waits } = step;
  const result = output && codeResultOf(textOf(output.parts));
  const lines = result ? result.lines : linesOf(call.said ?? '').slice(-LIVE_LINES);
  return (
    <section className="card my-2 min-w-0 overflow-hidden" aria-label={run.title || nameOf(run)}>
      <header className="flex min-h-target items-center gap-2 px-3.5 py-2">
        {output || waits ? <Icon name="code" className="text-soft" /> : <RunningRing />}
        <span className="min-w-0 flex-1 truncate font-medium">{run.title || nameOf(run)}</span>
        <span className="shrink-0 text-meta tabular-nums text-soft">
          {run.language === 'bash' ? t`Shell` : 'Python'} · <StepTime step={step} />
        </span>
      </header>
      <Lines key={result ? 'all' : 'live'} lines={lines} most={result ? SHOWN_LINES : LIVE_LINES} isLive={!result} />
      {result?.problem && <p className="px-3.5 pb-2 text-meta text-failed">{wordsOf(result.problem)}</p>}
      {result?.files && <p className="px-3.5 pb-2 font-mono text-meta break-words text-soft">{result.files}</p>}
      {output?.decided && (
        <p className="px-3.5 pb-2 text-meta text-soft">
          <DecisionLine decided={output.decided} />
        </p>
      )}
      {output?.reads?.foreign && (
        <div className="px-3.5 pb-2">
          <OriginMark itemId={output.itemId} isVouched={output.isVouched} />
        </div>
      )}
      <details className="border-t border-line">
        <summary className="flex min-h-target items-center px-3.5 text-meta text-soft hover:bg-hover">
          <Trans>Code</Trans>
        </summary>
        <div className="max-h-96 overflow-auto bg-sunken">
          <Suspense fallback={<pre className="p-3.5 font-mono text-meta">{run.code}</pre>}>
            <CodeLines text={run.code} language={run.language} />
          </Suspense>
        </div>
      </details>
    </section>
  );
}

function Lines({
  lines,
  most,
  isLive,
}: {
  readonly lines: readonly string[];
  readonly most: number;
  readonly isLive: boolean;
}) {
  const [isWhole, setIsWhole] = useState(false);
  if (lines.length === 0) return null;
  const shown = isWhole || isLive ? lines : lines.slice(0, most);
  return (
    <>
      <pre className="overflow-x-auto px-3.5 pb-2 font-mono text-meta" aria-live="off" tabIndex={0}>
        {shown.join('\n')}
      </pre>
      {shown.length < lines.length && (
        <button type="button" className="link px-3.5 pb-2 text-meta" onClick={() => setIsWhole(true)}>
          <Trans>All output</Trans>
        </button>
      )}
    </>
  );
}

const nameOf = ({ language }: CodeRun): string => (language === 'bash' ? t`Run a command` : t`Run Python`);

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n').filter(Boolean);

/** The service says it in English; here are the usual ones in the language of the page. */
function wordsOf(problem: string): string {
  const [, code] = /^exit code (-?\d+)$/.exec(problem) ?? [];
  if (code !== undefined) return t`It ended with the exit code ${code}.`;
  const [, seconds] = /^stopped after (\d+(?:\.\d+)?) s/.exec(problem) ?? [];
  if (seconds !== undefined) return t`It was stopped after ${seconds} s.`;
  if (problem.includes('memory')) return t`It was stopped: it used too much memory.`;
  if (problem.includes('files')) return t`It was stopped: it made too many files.`;
  if (problem.startsWith('stopped')) return t`It was stopped.`;
  return t`The interpreter ended, and its variables are gone.`;
}
