import type { MessageEntry } from '@reborn-agent/client/thread-state';

export type Citations = NonNullable<MessageEntry['citations']>;
export type CitedSource = Citations['sources'][number];

/** A marker as it is shown: the place of its source in the list below the answer, and what was found about it. */
export type ShownMark = {
  readonly place: number | undefined;
  readonly source: CitedSource | undefined;
  readonly check: Citations['marks'][number]['check'] | undefined;
  readonly quotation: string | undefined;
};

type Mark = { readonly start: number; readonly end: number; readonly number: number } & Partial<
  Omit<Citations['marks'][number], 'start' | 'end' | 'number'>
>;

/** The text with links to `#KEY-N` in the place of its markers, and the marker of each N. Only who knows the key can write such a link. */
export function citeMarkers(text: string, citations: Citations | undefined, streaming: boolean, key: string) {
  if (!citations) return { text, marks: [], sources: [] };
  const shown = streaming ? text.replace(BEGUN, '') : text;
  const marks = streaming ? markersIn(shown) : citations.marks;
  const known = new Map(citations.sources.map((source) => [source.number, source]));
  const places = new Map<CitedSource, number>();
  let cited = '';
  let at = 0;
  const listed = marks.map((mark: Mark, index): ShownMark => {
    const source = known.get(mark.number);
    if (source && !places.has(source)) places.set(source, places.size + 1);
    const place = source && places.get(source);
    // A chip stands at its word, and what follows does not begin a line of its own.
    cited += `${shown.slice(at, mark.start).replace(/ $/, '')}[${place ?? '?'}](#${key}-${index})`;
    at = mark.end;
    return { place, source, check: mark.check, quotation: mark.quotation };
  });
  return { text: cited + shown.slice(at), marks: listed, sources: [...places.keys()] };
}

/** What `toPlainText` says, in the language of the page. */
export type PlainWords = { readonly sources: string; readonly missing: string; readonly unknown: string };

/** A finished answer for readers without chips: numbers in the place of its markers, and below it its sources and what is wrong. */
export function toPlainText(text: string, citations: Citations | undefined, words: PlainWords): string {
  if (!citations) return text;
  const places = new Map<CitedSource, number>();
  let said = '';
  let at = 0;
  for (const { start, end, number } of citations.marks) {
    const source = citations.sources.find((each) => each.number === number);
    if (!source) continue;
    places.set(source, places.get(source) ?? places.size + 1);
    said += `${text.slice(at, start)}[${places.get(source)}]`;
    at = end;
  }
  const list = [...places].map(([{ title, url }, place]) => `${place}. [${plain(title)}](${encodeAddress(url)})`);
  const wrong = citations.marks.flatMap(({ start, end, check, quotation = '' }) => {
    if (check === 'unknown') return `${text.slice(start, end)}: ${words.unknown}`;
    return check === 'missing' ? `“${quotation}”: ${words.missing}` : [];
  });
  const blocks = [...(list.length > 0 ? [[`${words.sources}:`, ...list].join('\n')] : []), ...new Set(wrong)];
  return [said + text.slice(at), ...blocks].join('\n\n');
}

/** A title is foreign text, and must stay one. */
const plain = (title: string): string => title.replace(/[\s[\]()<>*_`|]+/g, ' ').trim();

const encodeAddress = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29');

/** What may become a marker with the next words. */
const BEGUN = /\[(?:s\d{0,4}(?:, ?p?\.? ?\d{0,4})?)?$/;

/** Until the service has checked the answer. What stands in code is none. */
function markersIn(text: string): Mark[] {
  return [...text.matchAll(/\[s(\d{1,4})(?:, p\. ?\d{1,4})?\]/g)].flatMap(({ 0: written, 1: number, index }) => {
    const before = text.slice(0, index);
    const isInBlock = (before.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;
    const isInLine = (before.slice(before.lastIndexOf('\n') + 1).match(/`/g)?.length ?? 0) % 2 === 1;
    return isInBlock || isInLine ? [] : [{ start: index, end: index + written.length, number: Number(number) }];
  });
}
