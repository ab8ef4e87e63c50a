import { PreviewCard } from '@base-ui/react/preview-card';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { createContext, Suspense, use, useState } from 'react';
import { nameOf, pageWords } from '../../files/kinds.ts';
import { type Panel, PanelContext } from '../../files/use-panel.ts';
import { Icon } from '../../parts/icon.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import type { CitedPage, CitedSource, ShownMark } from './cite-markers.ts';

// Visitors of a shared thread don't need the client, which asks for the page.
const CitedPassage = lazyPart(() => import('../../files/cited-page.tsx').then((module) => module.CitedPassage));

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

/** The words that name a source in a label. */
const wordsOf = (source: CitedSource | CitedPage): string =>
  'file' in source ? pageWords(nameOf(source.file), source.page) : hostOf(source);

const isDoubtful = ({ source, check }: ShownMark): boolean =>
  !source || check === 'missing' || check === 'unchecked' || check === 'unknown';

/** The number of a source, with a card about it. It is amber if the page does not say what is quoted. */
export function CitationChip({ mark }: { readonly mark: ShownMark }) {
  const panel = use(PanelContext);
  const look = isDoubtful(mark) ? 'border-waiting bg-waiting-wash text-waiting' : 'border-line bg-sunken text-soft';
  const shape = `ms-0.5 inline-block rounded-sm border px-1 align-text-top text-key tabular-nums no-underline ${look}`;
  return (
    <PreviewCard.Root>
      <PreviewCard.Trigger
        delay={150}
        {...wayTo(mark, panel)}
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

/** A web page is a link. A page of a document opens beside the thread. */
function wayTo({ source, place, check, quotation }: ShownMark, panel: Panel | undefined) {
  if (!source || place === undefined) return {};
  if (!('file' in source)) return { ...OUTSIDE, href: addressOf(source, check, quotation) };
  const cited = { number: source.page, quotation, isMissing: check === 'missing' };
  return { render: <button type="button" />, onClick: () => panel?.show({ path: source.file, page: cited }) };
}

const OUTSIDE = { target: '_blank', rel: 'noopener noreferrer nofollow' };

/** A browser that can scrolls to the quoted words. */
function addressOf({ url }: CitedSource, check: ShownMark['check'], quotation: string | undefined): string {
  if (check !== 'quoted' || !quotation) return url;
  return `${url}#:~:text=${encodeURIComponent(quotation.slice(0, 100)).replaceAll('-', '%2D')}`;
}

function labelOf({ source, place, check }: ShownMark): string {
  if (!source) return t`There is no such source`;
  const name = wordsOf(source);
  if (place === undefined) return t`${name}: there is no such page`;
  if (check === 'missing') return t`Source ${place}, ${name}: these words are not on the page`;
  if (check === 'unchecked') return t`Source ${place}, ${name}: these words were not checked`;
  if (check === 'found') return t`Source ${place}, ${name}: from the search result`;
  if (check === 'unknown') return t`Source ${place}, ${name}: there is no such page`;
  return t`Source ${place}, ${name}`;
}

function Card({ mark: { source, check, quotation } }: { readonly mark: ShownMark }) {
  if (!source)
    return (
      <p className="text-meta text-waiting">
        <Trans>There is no such source. The agent has invented it.</Trans>
      </p>
    );
  return (
    <div className="grid gap-1 text-meta">
      {'file' in source ? <PageHead source={source} /> : <SourceHead source={source} />}
      {'file' in source && (check === 'quoted' || check === 'read') ? (
        <Suspense>
          <CitedPassage path={source.file} page={source.page} quotation={quotation} />
        </Suspense>
      ) : (
        quotation && <blockquote className="break-words border-s-2 border-rule ps-2 text-soft">{quotation}</blockquote>
      )}
      <Finding check={check} />
    </div>
  );
}

function SourceHead({ source }: { readonly source: CitedSource }) {
  return (
    <>
      <p className="break-words text-soft">{[hostOf(source), source.published].filter(Boolean).join(' · ')}</p>
      <p className="break-words font-medium">{source.title}</p>
    </>
  );
}

function PageHead({ source: { file, page } }: { readonly source: CitedPage }) {
  return (
    <>
      <p className="text-soft">
        <Trans>Page {page}</Trans>
      </p>
      <p className="break-words font-medium">{nameOf(file)}</p>
    </>
  );
}

function Finding({ check }: Pick<ShownMark, 'check'>) {
  switch (check) {
    case 'missing':
      return (
        <p className="text-waiting">
          <Trans>These words are not on the page.</Trans>
        </p>
      );
    case 'unchecked':
      return (
        <p className="text-waiting">
          <Trans>The page has no text, so these words were not checked.</Trans>
        </p>
      );
    case 'unknown':
      return (
        <p className="text-waiting">
          <Trans>There is no such page. The agent has invented it.</Trans>
        </p>
      );
    case 'quoted':
      return (
        <p className="text-done">
          <Trans>These words are on the page.</Trans>
        </p>
      );
    case 'found':
      return (
        <p className="text-soft">
          <Trans>From the search result. The page was not read.</Trans>
        </p>
      );
    default:
      return null;
  }
}

/** One more than fit into a row is not worth a fold. */
const MOST_SOURCES = 4;
const FOLDED_SOURCES = 3;

/** The sources of an answer, in the order of their numbers; many of them are folded. */
export function SourceList({ sources }: { readonly sources: readonly (CitedSource | CitedPage)[] }) {
  const [isWhole, setWhole] = useState(false);
  const count = sources.length;
  if (count === 0) return null;
  const isFolded = count > MOST_SOURCES && !isWhole;
  return (
    <ol aria-label={t`Sources`} className="mt-3 flex flex-wrap gap-2">
      {sources.slice(0, isFolded ? FOLDED_SOURCES : count).map((source, index) => (
        <li key={index} className="min-w-0 max-w-full">
          {'file' in source ? (
            <PagePill source={source} place={index + 1} />
          ) : (
            <a href={source.url} {...OUTSIDE} title={source.title} className="chip max-w-full bg-sunken">
              <span className="tabular-nums text-soft">{index + 1}</span>
              <span className="min-w-0 truncate">{hostOf(source)}</span>
              <span className="min-w-0 max-w-60 truncate text-soft">{source.title}</span>
            </a>
          )}
        </li>
      ))}
      {isFolded && (
        <li>
          <button type="button" className="chip bg-sunken" onClick={() => setWhole(true)}>
            <Trans>All {count} sources</Trans>
            <Icon name="right" className="size-3" />
          </button>
        </li>
      )}
    </ol>
  );
}

function PagePill({ source: { file, page }, place }: { readonly source: CitedPage; readonly place: number }) {
  const panel = use(PanelContext);
  return (
    <button
      type="button"
      title={file}
      className="chip max-w-full bg-sunken"
      onClick={() => panel?.show({ path: file, page: { number: page } })}
    >
      <span className="tabular-nums text-soft">{place}</span>
      <span className="min-w-0 truncate">{nameOf(file)}</span>
      <span className="shrink-0 text-soft">
        <Trans>Page {page}</Trans>
      </span>
    </button>
  );
}
