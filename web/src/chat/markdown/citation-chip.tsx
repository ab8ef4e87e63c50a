import { PreviewCard } from '@base-ui/react/preview-card';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { createContext, use } from 'react';
import type { CitedSource, ShownMark } from './cite-markers.ts';

/** The markers of the text that is shown, by the links that stand for them. */
export const CitedMarks = createContext<{ readonly key: string; readonly marks: readonly ShownMark[] }>({
  key: '',
  marks: [],
});

/** The marker that a link stands for. */
export function useMark(href: string | undefined): ShownMark | undefined {
  const { key, marks } = use(CitedMarks);
  return key !== '' && href?.startsWith(`#${key}-`) ? marks[Number(href.slice(key.length + 2))] : undefined;
}

const hostOf = (source: CitedSource): string => URL.parse(source.url)?.host.replace(/^www\./, '') ?? source.url;

const isDoubtful = ({ source, check }: ShownMark): boolean => !source || check === 'missing' || check === 'unknown';

/** The number of a source, with a card about it. It is amber if the page does not say what is quoted. */
export function CitationChip({ mark }: { readonly mark: ShownMark }) {
  const look = isDoubtful(mark) ? 'border-waiting bg-waiting-wash text-waiting' : 'border-line bg-sunken text-soft';
  const shape = `ms-0.5 inline-block rounded-sm border px-1 align-text-top text-key tabular-nums no-underline ${look}`;
  return (
    <PreviewCard.Root>
      <PreviewCard.Trigger
        delay={150}
        href={mark.source && addressOf(mark.source, mark)}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className={shape}
        tabIndex={0}
        aria-label={labelOf(mark)}
      >
        {mark.place ?? '?'}
      </PreviewCard.Trigger>
      <PreviewCard.Portal>
        <PreviewCard.Positioner sideOffset={4} className="z-30">
          <PreviewCard.Popup className="max-w-(--available-width) w-80 popup pops p-3">
            <Card mark={mark} />
          </PreviewCard.Popup>
        </PreviewCard.Positioner>
      </PreviewCard.Portal>
    </PreviewCard.Root>
  );
}

/** A browser that can scrolls to the quoted words. */
function addressOf(source: CitedSource, { check, quotation }: ShownMark): string {
  if (check !== 'quoted' || !quotation) return source.url;
  return `${source.url}#:~:text=${encodeURIComponent(quotation.slice(0, 100)).replaceAll('-', '%2D')}`;
}

function labelOf(mark: ShownMark): string {
  if (!mark.source) return t`There is no such source`;
  const host = hostOf(mark.source);
  const place = mark.place ?? 0;
  if (mark.check === 'missing') return t`Source ${place}, ${host}: these words are not on the page`;
  if (mark.check === 'found') return t`Source ${place}, ${host}: from the search result`;
  return t`Source ${place}, ${host}`;
}

function Card({ mark }: { readonly mark: ShownMark }) {
  const { source, check, quotation } = mark;
  if (!source)
    return (
      <p className="text-meta text-waiting">
        <Trans>There is no such source. The agent has invented it.</Trans>
      </p>
    );
  return (
    <div className="grid gap-1 text-meta">
      <p className="break-words text-soft">{[hostOf(source), source.published].filter(Boolean).join(' · ')}</p>
      <p className="break-words font-medium">{source.title}</p>
      {quotation && <blockquote className="break-words border-s-2 border-rule ps-2 text-soft">{quotation}</blockquote>}
      {check === 'missing' && (
        <p className="text-waiting">
          <Trans>These words are not on the page.</Trans>
        </p>
      )}
      {check === 'quoted' && (
        <p className="text-done">
          <Trans>These words are on the page.</Trans>
        </p>
      )}
      {check === 'found' && (
        <p className="text-soft">
          <Trans>From the search result. The page was not read.</Trans>
        </p>
      )}
    </div>
  );
}

/** The sources of an answer, in the order of their numbers. */
export function SourceList({ sources }: { readonly sources: readonly CitedSource[] }) {
  if (sources.length === 0) return null;
  return (
    <ol aria-label={t`Sources`} className="mt-3 flex flex-wrap gap-2">
      {sources.map((source, index) => (
        <li key={source.number} className="min-w-0 max-w-full">
          <a
            href={source.url}
            target="_blank"
            rel="noopener noreferrer nofollow"
            title={source.title}
            className="chip max-w-full bg-sunken"
          >
            <span className="tabular-nums text-soft">{index + 1}</span>
            <span className="min-w-0 truncate">{hostOf(source)}</span>
            <span className="min-w-0 max-w-60 truncate text-soft">{source.title}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}
