import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconButton } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { findQuotation } from './find-quotation.ts';
import { useDocumentPage } from './use-files.ts';
import { type ShownPage, useFilePanel } from './use-panel.ts';

/** The text of a page of a document, with the words that an answer quotes. */
export function CitedPage({ path, cited }: { readonly path: string; readonly cited: ShownPage }) {
  const { number: page, quotation = '', isMissing = false } = cited;
  const { threadId, shown, show } = useFilePanel();
  const { data, error } = useDocumentPage(threadId, path, page);
  const pages = data?.pages ?? page;
  const step = (by: number) => show({ ...shown, path, page: { number: page + by } });
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 border-b border-line px-2 text-meta">
        <IconButton icon="back" label={t`Page before`} disabled={page <= 1} onClick={() => step(-1)} />
        <span className="tabular-nums">
          {data ? (
            <Trans>
              Page {page} of {pages}
            </Trans>
          ) : (
            <Trans>Page {page}</Trans>
          )}
        </span>
        <IconButton icon="right" label={t`Next page`} disabled={page >= pages} onClick={() => step(1)} />
        {data && data.label !== `page ${page}` && <span className="min-w-0 truncate text-soft">{data.label}</span>}
      </div>
      {isMissing && (
        <p className="break-words border-b border-line bg-waiting-wash px-4 py-2 text-meta text-waiting">
          <Trans>These words are not on the page: “{quotation}”</Trans>
        </p>
      )}
      <div className="min-h-0 flex-1 overflow-auto p-4" tabIndex={0} role="group" aria-label={t`Page ${page}`}>
        {error && <Problem error={error} />}
        {!error && !data && <Skeleton label={t`Loading the page`} />}
        {data && <PageText text={data.text} quotation={isMissing ? '' : quotation} />}
      </div>
    </>
  );
}

function PageText({ text, quotation }: { readonly text: string; readonly quotation: string }) {
  if (text === '')
    return (
      <p className="text-soft">
        <Trans>This page has no text, such as a scan.</Trans>
      </p>
    );
  return (
    <p className="whitespace-pre-wrap break-words">
      <Marked key={quotation} text={text} quotation={quotation} onMark={reveal} />
    </p>
  );
}

const reveal = (mark: HTMLElement | null): void => mark?.scrollIntoView({ block: 'center' });

/** The text with the quoted words marked. */
function Marked({
  text,
  quotation,
  onMark,
}: {
  readonly text: string;
  readonly quotation: string;
  readonly onMark?: (mark: HTMLElement | null) => void;
}) {
  const found = findQuotation(text, quotation);
  if (!found) return text;
  return (
    <>
      {text.slice(0, found.start)}
      <mark ref={onMark} className="rounded-sm bg-mark text-ink">
        {text.slice(found.start, found.end)}
      </mark>
      {text.slice(found.end)}
    </>
  );
}

const AROUND = 90;
const MOST_WORDS = 300;

type PassageProps = {
  readonly path: string;
  readonly page: number;
  /** The beginning of the page when left out. */
  readonly quotation: string | undefined;
};

/** The words of a page around a quotation, for the card of its chip. */
export function CitedPassage({ path, page, quotation = '' }: PassageProps) {
  const { threadId } = useFilePanel();
  const { data, error } = useDocumentPage(threadId, path, page);
  if (error) return <Problem error={error} />;
  if (!data) return <Skeleton label={t`Loading the page`} rows={2} />;
  const found = findQuotation(data.text, quotation) ?? { start: 0, end: MOST_WORDS };
  const [start, end] = [startOfWord(data.text, found.start - AROUND), endOfWord(data.text, found.end + AROUND)];
  return (
    <blockquote className="max-h-48 overflow-hidden break-words border-s-2 border-rule ps-2 text-soft">
      {start > 0 && '… '}
      <Marked text={data.text.slice(start, end).trim()} quotation={quotation} />
      {end < data.text.length && ' …'}
    </blockquote>
  );
}

/** A word is not cut, unless it is very long. */
const startOfWord = (text: string, near: number): number =>
  near <= 0 ? 0 : near + (/^\S{0,40}\s/.exec(text.slice(near))?.[0].length ?? 0);

const endOfWord = (text: string, near: number): number =>
  near >= text.length ? text.length : near - (/\s\S{0,40}$/.exec(text.slice(0, near))?.[0].length ?? 0);
