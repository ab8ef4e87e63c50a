import type { Citations, CitedSource } from './citations.ts';
import { createMarkerStream } from './markers.ts';

/** What replaces the marker of a source; undefined leaves it as it is. */
export type ShowSource = (source: CitedSource) => string | undefined;

/** A place of the shown text that stands for a source. */
export type ShownCitation = { readonly start: number; readonly end: number; readonly source: CitedSource };

/** An answer for readers without chips: markers of known sources are replaced. The same for a whole text and for a stream of it. */
export function createCitedText(citations: Pick<Citations, 'sources'> | undefined, show: ShowSource) {
  const sources = new Map(citations?.sources.map((source) => [source.number, source]));
  const stream = createMarkerStream();
  const shown: ShownCitation[] = [];
  let length = 0;
  let last = '';

  const put = (text: string): string => {
    length += text.length;
    last = text.at(-1) ?? last;
    return text;
  };
  const write = ({ text, number }: { readonly text: string; readonly number?: number }): string => {
    const source = number === undefined ? undefined : sources.get(number);
    const link = source && show(source);
    if (!source || link === undefined) return put(text);
    const gap = /^\s?$/.test(last) ? '' : put(' ');
    const start = length;
    put(link);
    shown.push({ start, end: length, source });
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
): { readonly text: string; readonly shown: readonly ShownCitation[] } {
  if (!citations) return { text, shown: [] };
  const cited = createCitedText(citations, show);
  return { text: cited.push(text) + cited.end(), shown: cited.shown() };
}

/** As a link of Markdown, with the host as its words. */
export const linkToSource: ShowSource = ({ url }) =>
  `([${hostOf(url)}](${url.replaceAll('(', '%28').replaceAll(')', '%29')}))`;

/** Numbers in the order in which an answer names its sources, and a list of them for its end. */
export function createSourceList(form: (source: CitedSource) => string) {
  const listed = new Map<number, { readonly place: number; readonly source: CitedSource }>();
  return {
    show: (source: CitedSource): string => {
      const { place } = listed.get(source.number) ?? { place: listed.size + 1 };
      listed.set(source.number, { place, source });
      return `[${place}]`;
    },
    list: (): string => [...listed.values()].map(({ place, source }) => `${place}. ${form(source)}`).join('\n'),
  };
}

export const hostOf = (url: string): string => URL.parse(url)?.host.replace(/^www\./, '') ?? '';
