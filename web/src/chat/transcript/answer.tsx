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
import { Speaker } from './speaker.tsx';
import { VersionArrows } from './version-arrows.tsx';

const RateAnswer = lazyPart(() => import('../rate-answer.tsx').then((module) => module.RateAnswer));
const Markdown = lazyPart(() => import('../markdown/markdown.tsx').then((module) => module.Markdown));

export function Answer({
  entry,
  turnId,
  first,
  versions,
}: {
  readonly entry: MessageEntry;
  readonly turnId: string;
  readonly first: boolean;
  readonly versions: readonly VersionPosition[];
}) {
  const { imagePath } = useActions();
  const streaming = entry.state === 'streaming';
  return (
    <article className={`group ${streaming ? 'pb-7' : ''}`} aria-busy={streaming}>
      {first && <Speaker name="Reborn" />}
      <Suspense fallback={<p className="whitespace-pre-wrap break-words text-reading">{entry.text}</p>}>
        <Markdown
          text={entry.text}
          streaming={streaming}
          imagePath={(url) => imagePath(entry.id, url)}
          citations={entry.citations}
        />
      </Suspense>
      {!streaming && <AnswerFoot entry={entry} turnId={turnId} versions={versions} />}
    </article>
  );
}

function AnswerFoot({
  entry,
  turnId,
  versions,
}: {
  readonly entry: MessageEntry;
  readonly turnId: string;
  readonly versions: readonly VersionPosition[];
}) {
  const { inspect, askAgain, isIdle } = useActions();
  const text = toPlainText(entry.text, entry.citations, {
    sources: t`Sources`,
    missing: t`These words are not on the page.`,
    unchecked: t`The page has no text, so these words were not checked.`,
    unknown: t`There is no such source. The agent has invented it.`,
    page: pageWords,
  });
  return (
    <div className="tools -ms-2 min-h-7 flex-wrap gap-x-2">
      <VersionArrows versions={versions} />
      <RowActions>
        <CopyButton text={text} />
        <ReadAloudButton text={text} />
        <Suspense>
          <RateAnswer turnId={turnId} />
        </Suspense>
        {isIdle && <IconButton icon="retry" label={t`Answer again`} onClick={() => askAgain(entry.id)} />}
        <IconButton icon="inspect" label={t`Inspect this turn`} onClick={() => inspect(turnId)} />
        <MessageTime at={entry.at} />
      </RowActions>
      {entry.state === 'incomplete' && (
        <span className="ps-2 text-meta text-waiting">
          <Trans>Ends in mid-sentence.</Trans>
        </span>
      )}
      {entry.usage && (
        <span className="text-meta tabular-nums text-soft opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
          {plural(entry.usage.output_tokens, { one: '# token', other: '# tokens' })},{' '}
          <Cost usd={entry.usage.cost_usd} />
        </span>
      )}
    </div>
  );
}
