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
