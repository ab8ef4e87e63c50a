import { pageTextOf } from '../text/numbered-links.ts';
import { type FileMarker, fileMarkersIn, type Marker, markersIn } from './markers.ts';
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

/**
 * A checked marker of a document. `unknown`: the thread has no such document, or it has no such page; `unchecked`: the page is a picture,
 * so quoted words can't be compared with it.
 */
export type FileCitation = FileMarker & { readonly check: FileCheck; readonly quotation?: string };
export type FileCheck = Exclude<CitationCheck, 'found'> | 'unchecked';

/** The checked markers of an answer, and the sources that they name. `files`: the markers of documents, if there are any. */
export type Citations = {
  readonly marks: readonly Citation[];
  readonly sources: readonly CitedSource[];
  readonly files?: readonly FileCitation[];
};

/** The text of a page of a document in the thread. `isPicture`: it has none, such as a scan. */
export type FilePage = {
  readonly file: string;
  readonly page: number;
  readonly text: string;
  readonly isPicture?: boolean;
};

const MOST_MARKS = 500;
const LONGEST_KEPT = 300;

/**
 * Checks the markers of an answer. Undefined if it has none. `sources`: of the thread, with every text that the model saw. `pages`:
 * those of its documents that the answer names.
 */
export function checkCitations(
  text: string,
  sources: readonly NumberedSource[],
  pages: readonly FilePage[] = [],
): Citations | undefined {
  const markers = [...markersIn(text), ...fileMarkersIn(text)].toSorted((one, other) => one.start - other.start);
  if (markers.length === 0) return undefined;
  const named = markers.slice(0, MOST_MARKS);
  const numbers = new Set(named.flatMap((marker) => ('file' in marker ? [] : marker.number)));
  const cited = [...numbers].flatMap((number) => findSource(number, sources));
  const known = new Map(
    [...new Map(named.map((marker) => [keyOf(marker), marker]))].map(([key, marker]) => [
      key,
      'file' in marker ? knownPage(marker, pages) : knownSource(marker, cited, sources),
    ]),
  );
  const checked = groupsOf(text, named).flatMap(({ before, group }) => checkGroup(before, group, known));
  const files = checked.filter((mark) => 'file' in mark);
  return { marks: checked.filter((mark) => 'number' in mark), sources: cited, ...(files.length > 0 && { files }) };
}

type AnyMarker = Marker | FileMarker;

/** Every text of what a marker names. There is none if it does not exist. */
type Known = { readonly how: CitedSource['how']; readonly texts: readonly FoldedText[]; readonly isPicture?: boolean };

const keyOf = (marker: AnyMarker): string =>
  'file' in marker ? `${marker.page} ${marker.file}` : `s${marker.number} ${marker.page ?? ''}`;

function knownPage({ file, page }: FileMarker, pages: readonly FilePage[]): Known {
  const named = pages.filter((each) => each.file === file && each.page === page);
  return { how: 'read', texts: named.map(({ text }) => fold(text)), isPicture: named.some((each) => each.isPicture) };
}

const knownSource = (marker: Marker, cited: readonly CitedSource[], sources: readonly NumberedSource[]): Known => ({
  how: cited.find(({ number }) => number === marker.number)?.how ?? 'found',
  texts: textsOf(marker, sources),
});

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

type Group = { readonly before: string; readonly group: readonly AnyMarker[] };

/** Markers that follow one another stand for the same words: those since the marker before them, in the same paragraph. */
function groupsOf(text: string, markers: readonly AnyMarker[]): Group[] {
  const groups: { before: string; group: AnyMarker[]; end: number }[] = [];
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

/** A quoted block is its own paragraph, and belongs to the marker below it. */
function startOfParagraph(text: string): number {
  const end = text.trimEnd().length;
  const start = text.lastIndexOf('\n\n', end - 1);
  const isAlone = text.slice(start).trim() === '';
  return isAlone ? 0 : start;
}

function checkGroup(
  before: string,
  group: readonly AnyMarker[],
  known: ReadonlyMap<string, Known>,
): (Citation | FileCitation)[] {
  const quotations = quotationsIn(before);
  const pages = group.flatMap((marker) => known.get(keyOf(marker)) ?? []);
  const has = ({ texts }: Known, quotation: string) => texts.some((text) => hasQuotation(text, quotation));
  const missing = quotations.find((quotation) => !pages.some((page) => has(page, quotation)));
  const check = (marker: AnyMarker): { readonly check: CitationCheck; readonly quotation?: string } => {
    const page = known.get(keyOf(marker));
    if (!page || page.texts.length === 0) return { check: 'unknown' };
    if (missing !== undefined) return { check: 'missing', quotation: missing.slice(0, LONGEST_KEPT) };
    const quoted = quotations.find((quotation) => has(page, quotation));
    if (quoted === undefined) return { check: page.how };
    return { check: page.how === 'found' ? 'found' : 'quoted', quotation: quoted.slice(0, LONGEST_KEPT) };
  };
  return group.map((marker) => {
    const found = check(marker);
    if (!('file' in marker)) return { ...marker, ...found };
    return { ...marker, ...found, check: checkOfFile(found.check, known.get(keyOf(marker))) };
  });
}

function checkOfFile(check: CitationCheck, page: Known | undefined): FileCheck {
  if (check === 'missing' && page?.isPicture) return 'unchecked';
  return check === 'found' ? 'read' : check;
}
