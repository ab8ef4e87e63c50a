import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { MessageEntry } from '@reborn-agent/client/thread-state';
import { Suspense } from 'react';
import { pageWords } from '../../files/kinds.ts';
import { IconButton } from '../../parts/button.tsx';
import { Cost } from '../../parts/cost.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { useActions } from '../chat-actions.ts';
import { toPlainText } from '../markdown/cite-markers.ts';
import { ReadAloudButton } from './read-aloud.tsx';
import { CopyButton, MessageTime, RowActions } from './row-actions.tsx';
import type { VersionPosition } from './rows.ts';
import { AgentSpeaker } from './speaker.tsx';
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
};

export function Answer({ entry, turnId, first, by, newest, versions }: Props) {
  const { imagePath } = useActions();
  const streaming = entry.state === 'streaming';
  return (
    <article className={`group ${streaming ? 'pb-7' : ''}`} aria-busy={streaming}>
      {first && <AgentSpeaker by={by} />}
      <Suspense fallback={<p className="whitespace-pre-wrap break-words text-reading">{entry.text}</p>}>
        <Markdown
          text={entry.text}
          streaming={streaming}
          imagePath={(url) => imagePath(entry.id, url)}
          citations={entry.citations}
        />
      </Suspense>
      {!streaming && <AnswerFoot entry={entry} turnId={turnId} newest={newest} versions={versions} />}
    </article>
  );
}

function AnswerFoot({ entry, turnId, newest, versions }: Omit<Props, 'first' | 'by'>) {
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
      <div className="tools -ms-2 min-h-7 gap-x-2">
        <VersionArrows versions={versions} />
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
          <MessageTime at={entry.at} />
          {entry.usage && (
            <span className="min-w-0 truncate text-meta tabular-nums text-soft max-md:hidden">
              {plural(entry.usage.output_tokens, { one: '# token', other: '# tokens' })}
              {entry.usage.cost_usd !== null && (
                <>
                  , <Cost usd={entry.usage.cost_usd} />
                </>
              )}
            </span>
          )}
        </RowActions>
      </div>
    </>
  );
}
