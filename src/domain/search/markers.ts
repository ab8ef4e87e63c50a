import { documentKindOf } from '../workspace/document.ts';

/** A place in an answer that names a source of the thread: `[s3]`, or `[s3, p. 7]`. */
export type Marker = { readonly start: number; readonly end: number; readonly number: number; readonly page?: number };

/** A place in an answer that names a page of a document in the thread: `[lease.pdf, p. 7]`. */
export type FileMarker = { readonly start: number; readonly end: number; readonly file: string; readonly page: number };

const FILE_MARKER = /\[([^[\]\n]{1,300}), p\. ?(\d{1,6})\]/g;

/** The markers of documents. Other words with a page, such as those of a book, are none. */
export function fileMarkersIn(text: string): FileMarker[] {
  return outsideCode(text, FILE_MARKER).flatMap(({ 0: written, 1: file = '', 2: page, index }) =>
    documentKindOf(file) ? { start: index, end: index + written.length, file, page: Number(page) } : [],
  );
}

const MARKER = /\[s(\d{1,4})(?:, p\. ?(\d{1,4}))?\]/g;

/** The markers of a text. What looks like one in code is code. */
export function markersIn(text: string): Marker[] {
  return outsideCode(text, MARKER).map(({ 0: written, 1: number, 2: page, index }) => {
    const marker = { start: index, end: index + written.length, number: Number(number) };
    return page === undefined ? marker : { ...marker, page: Number(page) };
  });
}

function outsideCode(text: string, wanted: RegExp): RegExpExecArray[] {
  const code = createCodeState();
  let at = 0;
  return [...text.matchAll(wanted)].filter(({ index }) => {
    code.push(text.slice(at, index));
    at = index;
    return !code.isInside();
  });
}

/** Whether the text so far ends inside a block of code, or between the backticks of a line. */
function createCodeState() {
  let isFenced = false;
  let head = ''; // the first characters of the line
  let ticks = 0; // in the line
  const isFence = () => /^ {0,3}(?:```|~~~)/.test(head);
  return {
    push(text: string): void {
      for (const [index, piece] of text.split('\n').entries()) {
        if (index > 0) {
          if (isFence()) isFenced = !isFenced;
          head = '';
          ticks = 0;
        }
        head = (head + piece.slice(0, 6)).slice(0, 6);
        ticks += piece.split('`').length - 1;
      }
    },
    isInside: (): boolean => isFenced || isFence() || ticks % 2 === 1,
  };
}

/** The longest text that can still become a marker, and what one begins with. */
const SOURCES = {
  marker: MARKER,
  longest: '[s1234, p. 1234]'.length,
  begun: /\[(?:s(?:\d{0,4}|\d{1,4},(?: (?:p(?:\.(?: ?\d{0,4})?)?)?)?)?)?$/,
};
const ALL = {
  marker: new RegExp(`${MARKER.source}|${FILE_MARKER.source}`, 'g'),
  longest: '['.length + 300 + ', p. 123456]'.length,
  begun: /\[[^[\]\n]*$/,
};

/**
 * Cuts a stream into texts and markers: what may become a marker is held back until it is one, or is not. `files`: also the markers
 * of documents, which can begin with any words.
 */
export function createMarkerStream({ files = false } = {}) {
  const { marker, longest, begun } = files ? ALL : SOURCES;
  const code = createCodeState();
  let held = '';

  const take = (text: string): MarkedPiece[] => {
    const pieces: MarkedPiece[] = [];
    let at = 0;
    for (const match of text.matchAll(marker)) {
      const named = namedBy(match);
      code.push(text.slice(at, match.index));
      pieces.push({ text: text.slice(at, match.index) });
      at = match.index;
      if (!named || code.isInside()) continue;
      pieces.push({ text: match[0], ...named });
      code.push(match[0]);
      at += match[0].length;
    }
    code.push(text.slice(at));
    return [...pieces, { text: text.slice(at) }].filter((piece) => piece.text !== '');
  };

  return {
    push(delta: string): MarkedPiece[] {
      const text = held + delta;
      const tail = text.slice(-longest);
      const start = begun.exec(tail)?.index;
      const end = start === undefined ? text.length : text.length - tail.length + start;
      held = text.slice(end);
      return take(text.slice(0, end));
    },
    end(): MarkedPiece[] {
      const rest = held;
      held = '';
      return take(rest);
    },
  };
}

/** What a match of a marker names; undefined for other words with a page. */
function namedBy([, number, , file, page]: RegExpExecArray): Omit<MarkedPiece, 'text'> | undefined {
  if (number !== undefined) return { number: Number(number) };
  return file !== undefined && documentKindOf(file) ? { page: { file, page: Number(page) } } : undefined;
}

/** A page of a document, as a marker names it. */
export type NamedPage = Pick<FileMarker, 'file' | 'page'>;

/** A piece of a stream; with a number or a page, it is a marker. */
export type MarkedPiece = { readonly text: string; readonly number?: number; readonly page?: NamedPage };
