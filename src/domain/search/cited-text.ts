import type { Citations, CitedSource } from './citations.ts';
import { createMarkerStream, type MarkedPiece, type NamedPage } from './markers.ts';

/** What replaces the marker of a source; undefined leaves it as it is. */
export type ShowSource = (source: CitedSource) => string | undefined;

/** What replaces the marker of a page of a document. */
type ShowPage = (page: NamedPage) => string;

/** A place in the shown text that replaces a source. */
export type ShownCitation = { readonly start: number; readonly end: number; readonly source: CitedSource };

/**
 * An answer for readers without chips: markers of known sources are replaced. The same for a whole text and for a stream of it.
 * Without `showPage`, markers of documents stay: people can read them as they are.
 */
export function createCitedText(
  citations: Pick<Citations, 'sources'> | undefined,
  show: ShowSource,
  showPage?: ShowPage,
) {
  const sources = new Map(citations?.sources.map((source) => [source.number, source]));
  const stream = createMarkerStream({ files: showPage !== undefined });
  const shown: ShownCitation[] = [];
  let length = 0;
  let last = '';

  const put = (text: string): string => {
    length += text.length;
    last = text.at(-1) ?? last;
    return text;
  };
  const write = ({ text, number, page }: MarkedPiece): string => {
    const source = number === undefined ? undefined : sources.get(number);
    const link = source ? show(source) : page && showPage?.(page);
    if (link === undefined) return put(text);
    const gap = /^\s?$/.test(last) ? '' : put(' ');
    const start = length;
    put(link);
    if (source) shown.push({ start, end: length, source });
    return gap + link;
  };

  return {
    push: (delta: string): string => stream.push(delta).map(write).join(''),
    end: (): string => stream.end().map(write).join(''),
    /** What was shown so far. */
    shown: (): readonly ShownCitation[] => shown,
  };
}

/** The whole text of an answer with its sources in it. */
export function citeText(
  text: string,
  citations: Pick<Citations, 'sources'> | undefined,
  show: ShowSource,
  showPage?: ShowPage,
): { readonly text: string; readonly shown: readonly ShownCitation[] } {
  if (!citations) return { text, shown: [] };
  const cited = createCitedText(citations, show, showPage);
  return { text: cited.push(text) + cited.end(), shown: cited.shown() };
}

/** As a link of Markdown, with the host as its words. */
export const linkToSource: ShowSource = ({ url }) => `([${hostOf(url)}](${encodeAddress(url)}))`;

/** An answer as plain Markdown: numbers in the order it names its sources, and a list of them at its end. */
export function withSourceList(text: string, citations: Citations | undefined): string {
  const list = createSourceList();
  return citeText(text, citations, list.show, list.showPage).text + list.end(citations);
}

/** Numbers sources in the order they are shown. `end`: the list of them, and what was found wrong, to put below the text. */
export function createSourceList() {
  const places = new Map<string, number>();
  const lines: string[] = [];
  const numberOf = (key: string, line: string): string => {
    const place = places.get(key) ?? lines.push(`${lines.length + 1}. ${line}`);
    places.set(key, place);
    return `[${place}]`;
  };
  return {
    show: (source: CitedSource): string => numberOf(`s${source.number}`, lineOfSource(source)),
    showPage: ({ file, page }: NamedPage): string =>
      numberOf(`${page} ${file}`, `\`${file.replaceAll('`', "'")}\`, p. ${page}`),
    end: (citations: Citations | undefined): string => {
      const list = lines.length > 0 ? [['Sources:', ...lines].join('\n')] : [];
      return [...list, ...(citations ? warningsOf(citations) : [])].map((part) => `\n\n${part}`).join('');
    },
  };
}

const lineOfSource = ({ title, url, how }: CitedSource): string =>
  `[${plainWords(title)}](${encodeAddress(url)}) – ${hostOf(url)}${how === 'found' ? ' (from the search result)' : ''}`;

/** What the service found wrong. Each thing is said once. */
function warningsOf({ marks, sources, files = [] }: Citations): string[] {
  const said = marks.flatMap(({ check, number, page, quotation = '' }) => {
    const source = sources.find((each) => each.number === number);
    if (check === 'unknown')
      return source ? [`“${plainWords(source.title)}” has no page ${page}.`] : [`There is no source s${number}.`];
    return check === 'missing' ? [`Not on the page: “${plainWords(quotation)}”.`] : [];
  });
  const ofFiles = files.flatMap(({ check, file, page, quotation = '' }) => {
    if (check === 'unknown') return [`There is no page ${page} of a document “${plainWords(file)}” here.`];
    const where = `page ${page} of “${plainWords(file)}”`;
    if (check === 'unchecked') return [`Not checked, because ${where} has no text: “${plainWords(quotation)}”.`];
    return check === 'missing' ? [`Not on ${where}: “${plainWords(quotation)}”.`] : [];
  });
  return [...new Set([...said, ...ofFiles])];
}

/** A title is foreign text: it must not become a link, a mention or a picture where it is listed. */
const plainWords = (text: string): string =>
  text
    .replace(/[^\p{L}\p{M}\p{N} .,:;'’–-]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim() || 'page';

const encodeAddress = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29');

const hostOf = (url: string): string => URL.parse(url)?.host.replace(/^www\./, '') ?? '';
