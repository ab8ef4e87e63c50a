import type { MessageEntry } from '@reborn-agent/client/turn-entries';

export type Citations = NonNullable<MessageEntry['citations']>;
export type CitedSource = Citations['sources'][number];

/** A page of a document of the thread. */
export type CitedPage = { readonly file: string; readonly page: number };

/**
 * A marker as it is shown: the place of its source in the list below the answer, and what was found about it. A page of a document
 * that does not exist has no place.
 */
export type ShownMark = {
  readonly place: number | undefined;
  readonly source: CitedSource | CitedPage | undefined;
  readonly check: Citations['marks'][number]['check'] | 'unchecked' | undefined;
  readonly quotation: string | undefined;
};

type Place = { readonly start: number; readonly end: number };
type Checked = { readonly check?: ShownMark['check']; readonly quotation?: string | undefined };
type Mark = Place & Checked & ({ readonly number: number } | CitedPage);

/** The markers of a finished answer, in their order. */
const marksIn = ({ marks, files = [] }: Citations): readonly Mark[] =>
  [...marks, ...files].toSorted((one, other) => one.start - other.start);

/** Numbers what an answer cites, in the order it is named. */
function createPlaces({ sources }: Citations) {
  const known = new Map(sources.map((source) => [source.number, source]));
  const listed = new Map<string, CitedSource | CitedPage>();
  const places = new Map<string, number>();
  return {
    find(mark: Mark): Pick<ShownMark, 'place' | 'source'> {
      const isPage = 'file' in mark;
      const source = isPage ? { file: mark.file, page: mark.page } : known.get(mark.number);
      if (!source || (isPage && mark.check === 'unknown')) return { source, place: undefined };
      const key = isPage ? `${mark.page} ${mark.file}` : `s${mark.number}`;
      if (!listed.has(key)) places.set(key, listed.set(key, source).size);
      return { source, place: places.get(key) };
    },
    list: () => [...listed.values()],
  };
}

/** The text with links to `#KEY-N` in the place of its markers, and the marker of each N. Only who knows the key can write such a link. */
export function citeMarkers(text: string, citations: Citations | undefined, streaming: boolean, key: string) {
  if (!citations) return { text, marks: [], sources: [] };
  const shown = streaming ? text.replace(BEGUN, '') : text;
  const places = createPlaces(citations);
  let cited = '';
  let at = 0;
  const listed = (streaming ? markersIn(shown) : marksIn(citations)).map((mark, index): ShownMark => {
    const found = places.find(mark);
    // A chip stands at its word, and what follows does not begin its own line.
    cited += `${shown.slice(at, mark.start).replace(/ $/, '')}[${found.place ?? '?'}](#${key}-${index})`;
    at = mark.end;
    return { ...found, check: mark.check, quotation: mark.quotation };
  });
  return { text: cited + shown.slice(at), marks: listed, sources: places.list() };
}

/** What `toPlainText` says, in the language of the page. */
export type PlainWords = {
  readonly sources: string;
  readonly missing: string;
  readonly unchecked: string;
  readonly unknown: string;
  readonly page: (name: string, page: number) => string;
};

/** A finished answer for readers without chips: numbers in the place of its markers, and below it its sources and what is wrong. */
export function toPlainText(text: string, citations: Citations | undefined, words: PlainWords): string {
  if (!citations) return text;
  const places = createPlaces(citations);
  const marks = marksIn(citations);
  let said = '';
  let at = 0;
  for (const mark of marks) {
    const { place } = places.find(mark);
    if (place === undefined) continue;
    said += `${text.slice(at, mark.start)}[${place}]`;
    at = mark.end;
  }
  const list = places.list().map((source, index) => `${index + 1}. ${lineOf(source, words)}`);
  const wrong = marks.flatMap(({ start, end, check, quotation = '' }) => {
    if (check === 'unknown') return `${text.slice(start, end)}: ${words.unknown}`;
    return check === 'missing' || check === 'unchecked' ? `“${quotation}”: ${words[check]}` : [];
  });
  const blocks = [...(list.length > 0 ? [[`${words.sources}:`, ...list].join('\n')] : []), ...new Set(wrong)];
  return [said + text.slice(at), ...blocks].join('\n\n');
}

const lineOf = (source: CitedSource | CitedPage, words: PlainWords): string =>
  'file' in source
    ? words.page(`\`${source.file.replaceAll('`', "'")}\``, source.page)
    : `[${plain(source.title)}](${encodeAddress(source.url)})`;

/** A title is foreign text, and must stay one. */
const plain = (title: string): string => title.replace(/[\s[\]()<>*_`|]+/g, ' ').trim();

const encodeAddress = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29');

/** What may become a marker of a web page with the next words. Those of documents can be read as they are until they are checked. */
const BEGUN = /\[(?:s\d{0,4}(?:, ?p?\.? ?\d{0,4})?)?$/;

/** Until the service has checked the answer. Code has none. */
function markersIn(text: string): Mark[] {
  return [...text.matchAll(/\[s(\d{1,4})(?:, p\. ?\d{1,4})?\]/g)].flatMap(({ 0: written, 1: number, index }) => {
    const before = text.slice(0, index);
    const isInBlock = (before.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;
    const isInLine = (before.slice(before.lastIndexOf('\n') + 1).match(/`/g)?.length ?? 0) % 2 === 1;
    return isInBlock || isInLine ? [] : [{ start: index, end: index + written.length, number: Number(number) }];
  });
}
