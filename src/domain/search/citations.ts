import { pageTextOf } from '../text/numbered-links.ts';
import { type Marker, markersIn } from './markers.ts';
import { type FoldedText, fold, hasQuotation, quotationsIn } from './quotations.ts';
import type { NumberedSource } from './source.ts';

/** A source as an answer cites it. */
export type CitedSource = Omit<NumberedSource, 'text'>;

/**
 * What was found about a marker: `unknown`, there is no such source, or it has no such page; `missing`, words in quotation marks before it are not on the
 * page; `quoted`, they are; `read` and `found`, nothing is quoted, and the page was read or only found by a search.
 */
export type CitationCheck = 'unknown' | 'missing' | 'quoted' | 'read' | 'found';

/** A checked marker. `quotation`: what is on the page, or what is missing there. */
export type Citation = Marker & { readonly check: CitationCheck; readonly quotation?: string };

/** The checked markers of an answer, and the sources that they name. */
export type Citations = { readonly marks: readonly Citation[]; readonly sources: readonly CitedSource[] };

const MOST_MARKS = 500;
const LONGEST_KEPT = 300;

/** Checks the markers of an answer. Undefined if it has none. `sources`: of the thread, with every text that the model saw. */
export function checkCitations(text: string, sources: readonly NumberedSource[]): Citations | undefined {
  const markers = markersIn(text).slice(0, MOST_MARKS);
  if (markers.length === 0) return undefined;
  const cited = [...new Set(markers.map(({ number }) => number))].flatMap((number) => findSource(number, sources));
  const known = new Map(cited.map((source) => [source.number, source]));
  const texts = new Map<string, Known>();
  for (const marker of markers) {
    const source = known.get(marker.number);
    const key = keyOf(marker);
    if (source && !texts.has(key)) texts.set(key, { source, texts: textsOf(marker, sources) });
  }
  const marks = groupsOf(text, markers).flatMap(({ before, group }) => checkGroup(before, group, texts));
  return { marks, sources: cited };
}

/** What a marker names, with every text of it. It has none if there is no such page. */
type Known = { readonly source: CitedSource; readonly texts: readonly FoldedText[] };

const keyOf = ({ number, page }: Marker): string => `${number} ${page ?? ''}`;

/** The newest row tells the title. A page that was read once counts as read. */
function findSource(number: number, sources: readonly NumberedSource[]): CitedSource[] {
  const rows = sources.filter((source) => source.number === number);
  const read = rows.filter(({ how }) => how === 'read');
  const shown = read.at(-1) ?? rows.at(-1);
  if (!shown) return [];
  const { url, title, published, how } = shown;
  return [{ number, url, title, published, how }];
}

const textsOf = ({ number, page }: Marker, sources: readonly NumberedSource[]): FoldedText[] =>
  sources
    .filter((source) => source.number === number)
    .flatMap(({ text }) => pageTextOf(text, page) ?? [])
    .map(fold);

type Group = { readonly before: string; readonly group: readonly Marker[] };

/** Markers that follow one another stand for the same words: those since the marker before them, in the same paragraph. */
function groupsOf(text: string, markers: readonly Marker[]): Group[] {
  const groups: { before: string; group: Marker[]; end: number }[] = [];
  for (const marker of markers) {
    const last = groups.at(-1);
    const between = text.slice(last?.end ?? 0, marker.start);
    if (last && /^[\s,;]*$/.test(between)) {
      last.group.push(marker);
      last.end = marker.end;
      continue;
    }
    const closing = /^["”“»«」』]/.exec(text.slice(marker.end, marker.end + 1))?.[0] ?? '';
    const paragraph = between.slice(Math.max(0, startOfParagraph(between)));
    groups.push({ before: paragraph + closing, group: [marker], end: marker.end });
  }
  return groups;
}

/** A quoted block is a paragraph of its own, and belongs to the marker below it. */
function startOfParagraph(text: string): number {
  const end = text.trimEnd().length;
  const start = text.lastIndexOf('\n\n', end - 1);
  const isAlone = text.slice(start).trim() === '';
  return isAlone ? 0 : start;
}

function checkGroup(before: string, group: readonly Marker[], known: ReadonlyMap<string, Known>): Citation[] {
  const quotations = quotationsIn(before);
  const pages = group.flatMap((marker) => known.get(keyOf(marker)) ?? []);
  const has = ({ texts }: Known, quotation: string) => texts.some((text) => hasQuotation(text, quotation));
  const missing = quotations.find((quotation) => !pages.some((page) => has(page, quotation)));
  return group.map((marker): Citation => {
    const page = known.get(keyOf(marker));
    if (!page || page.texts.length === 0) return { ...marker, check: 'unknown' };
    if (missing !== undefined) return { ...marker, check: 'missing', quotation: missing.slice(0, LONGEST_KEPT) };
    const quoted = quotations.find((quotation) => has(page, quotation));
    const check = page.source.how === 'found' ? 'found' : quoted === undefined ? 'read' : 'quoted';
    return { ...marker, check, ...(quoted !== undefined && { quotation: quoted.slice(0, LONGEST_KEPT) }) };
  });
}
