import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { MessageEntry } from '@reborn-agent/client/turn-entries';
import { Suspense } from 'react';
import { pageWords } from '../../files/kinds.ts';
import { formatCost } from '../../format/number.ts';
import { formatDuration } from '../../format/time.ts';
import { IconButton } from '../../parts/button.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { useActions } from '../chat-actions.ts';
import { toPlainText } from '../markdown/cite-markers.ts';
import { ReadAloudButton } from './read-aloud.tsx';
import { CopyButton, MessageTime, RowActions } from './row-actions.tsx';
import type { VersionPosition } from './rows.ts';
import { AgentSpeaker } from './speaker.tsx';
import type { Took } from './took.ts';
import { VersionArrows } from './version-arrows.tsx';
import type { Voice } from './voice.ts';

const RateAnswer = lazyPart(() => import('../rate-answer.tsx').then((module) => module.RateAnswer));
const AnswerMenu = lazyPart(() => import('./answer-menu.tsx').then((module) => module.AnswerMenu));
const Markdown = lazyPart(() => import('../markdown/markdown.tsx').then((module) => module.Markdown));

type Props = {
  readonly entry: MessageEntry;
  readonly turnId: string;
  readonly first: boolean;
  readonly by: Voice;
  /** Its actions are always visible. */
  readonly newest: boolean;
  readonly versions: readonly VersionPosition[];
  /** Of the whole turn, at the last answer of it. */
  readonly took: Took | undefined;
};

export function Answer({ entry, turnId, first, by, newest, versions, took }: Props) {
  const { imagePath } = useActions();
  const streaming = entry.state === 'streaming';
  return (
    <article className={`group ${streaming ? 'pb-7' : ''}`} aria-busy={streaming}>
      {first && <AgentSpeaker by={by} />}
      <div data-answer>
        <Suspense fallback={<p className="whitespace-pre-wrap break-words text-reading">{entry.text}</p>}>
          <Markdown
            text={entry.text}
            streaming={streaming}
            imagePath={(url) => imagePath(entry.id, url)}
            citations={entry.citations}
          />
        </Suspense>
      </div>
      {!streaming && <AnswerFoot entry={entry} turnId={turnId} newest={newest} versions={versions} took={took} />}
    </article>
  );
}

function AnswerFoot({ entry, turnId, newest, versions, took }: Omit<Props, 'first' | 'by'>) {
  const { inspect, askAgain, isIdle } = useActions();
  const text = toPlainText(entry.text, entry.citations, {
    sources: t`Sources`,
    missing: t`These words are not on the page.`,
    unchecked: t`The page has no text, so these words were not checked.`,
    unknown: t`There is no such source. The agent has invented it.`,
    page: pageWords,
  });
  return (
    <>
      {entry.state === 'incomplete' && (
        <p className="pt-1 text-meta text-waiting">
          <Trans>Ends in mid-sentence.</Trans>
        </p>
      )}
      <div className="@container -ms-2">
        <div className="tools min-h-7 gap-x-2">
          <VersionArrows versions={versions} turnId={turnId} />
          <RowActions always={newest}>
            <CopyButton text={text} />
            <ReadAloudButton text={text} />
            <Suspense>
              <RateAnswer turnId={turnId} />
            </Suspense>
            {isIdle && <IconButton icon="retry" label={t`Answer again`} onClick={() => askAgain(entry.id)} />}
            <IconButton icon="inspect" label={t`Inspect this turn`} onClick={() => inspect(turnId)} />
            <Suspense>
              <AnswerMenu entry={entry} text={text} />
            </Suspense>
            <span className="shrink-0 @max-[480px]:hidden">
              <MessageTime at={entry.at} />
            </span>
            {took && <TookLine took={took} />}
          </RowActions>
        </div>
      </div>
    </>
  );
}

/** How long the answer took, and its price; what is not known is left out. */
function TookLine({ took: { ms, usd, tokens } }: { readonly took: Took }) {
  const words = [ms !== undefined && formatDuration(ms), usd !== undefined && formatCost(usd)]
    .filter(Boolean)
    .join(', ');
  return (
    <span
      title={plural(tokens, { one: '# token', other: '# tokens' })}
      className="min-w-0 truncate ps-1 text-meta tabular-nums text-soft"
    >
      {words}
    </span>
  );
}
