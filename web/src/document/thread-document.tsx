import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type ReactNode, Suspense } from 'react';
import { ReadableJson } from '../chat/transcript/readable-json.tsx';
import { formatExact } from '../format/time.ts';
import { Icon } from '../parts/icon.tsx';
import { lazyPart } from '../parts/lazy-part.ts';

const Markdown = lazyPart(() => import('../chat/markdown/markdown.tsx').then((module) => module.Markdown));

export type DocumentEntry = { readonly id: string; readonly time: string } & (
  | {
      readonly type: 'message';
      readonly speaker: string;
      readonly text: string;
      /** Whether the text is Markdown. */
      readonly isAnswer: boolean;
      readonly files?: ReactNode;
    }
  | {
      readonly type: 'tool';
      readonly name: string;
      readonly arguments: string;
      readonly result: string | undefined;
      readonly files?: ReactNode;
    }
);

/** A thread to read from top to bottom, on a page or on paper. */
export function ThreadDocument({
  title,
  about,
  actions,
  entries,
  frames,
  children,
}: {
  readonly title: string;
  readonly about: ReactNode;
  readonly actions?: ReactNode;
  readonly entries: readonly DocumentEntry[];
  /** Whether the page may use frames, which draw diagrams. */
  readonly frames: boolean;
  readonly children?: ReactNode;
}) {
  return (
    <main className="h-full overflow-y-auto print:h-auto print:overflow-visible">
      <div className="column flex flex-col gap-7 py-8 print:max-w-none print:p-0">
        <header className="flex flex-wrap items-start gap-3 border-b border-line pb-4">
          <div className="min-w-0 flex-1 basis-64">
            <h1 className="break-words text-title">{title || t`Untitled`}</h1>
            <p className="text-meta text-soft">{about}</p>
          </div>
          {actions && <div className="flex gap-2 print:hidden">{actions}</div>}
        </header>
        {entries.map((entry) => (
          <article key={entry.id} className="min-w-0">
            {entry.type === 'message' ? <Message entry={entry} frames={frames} /> : <ToolCall entry={entry} />}
          </article>
        ))}
        {children}
      </div>
    </main>
  );
}

function Message({
  entry,
  frames,
}: {
  readonly entry: DocumentEntry & { readonly type: 'message' };
  readonly frames: boolean;
}) {
  const plain = <p className="whitespace-pre-wrap break-words text-reading">{entry.text}</p>;
  return (
    <>
      <div className="mb-1 flex items-center justify-between gap-2">
        <h2 className="font-semibold">{entry.speaker}</h2>
        <time dateTime={entry.time} className="text-meta text-soft">
          {formatExact(entry.time)}
        </time>
      </div>
      {entry.isAnswer ? (
        <Suspense fallback={plain}>
          <Markdown text={entry.text} streaming={false} frames={frames} />
        </Suspense>
      ) : (
        plain
      )}
      {entry.files}
    </>
  );
}

function ToolCall({ entry }: { readonly entry: DocumentEntry & { readonly type: 'tool' } }) {
  return (
    <div className="flex flex-col gap-2 border-s border-line ps-4">
      <p className="flex items-center gap-2 text-meta font-medium">
        <Icon name="tool" className="text-soft" />
        {entry.name}
      </p>
      <p className="text-meta text-soft">
        <Trans>Arguments</Trans>
      </p>
      <ReadableJson text={entry.arguments} />
      {entry.result !== undefined && (
        <>
          <p className="text-meta text-soft">
            <Trans>Result</Trans>
          </p>
          <ReadableJson text={entry.result} />
        </>
      )}
      {entry.files}
    </div>
  );
}
