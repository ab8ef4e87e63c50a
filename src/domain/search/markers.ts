/** A place in an answer that names a source of the thread: `[s3]`, or `[s3, p. 7]`. */
export type Marker = { readonly start: number; readonly end: number; readonly number: number; readonly page?: number };

const MARKER = /\[s(\d{1,4})(?:, p\. ?(\d{1,4}))?\]/g;

/** The markers of a text. What looks like one in code is code. */
export function markersIn(text: string): Marker[] {
  const code = createCodeState();
  let at = 0;
  return [...text.matchAll(MARKER)].flatMap((match) => {
    const { 0: written, 1: number, 2: page, index } = match;
    code.push(text.slice(at, index));
    at = index;
    if (code.isInside()) return [];
    const marker = { start: index, end: index + written.length, number: Number(number) };
    return [page === undefined ? marker : { ...marker, page: Number(page) }];
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

/** The longest text that can still become a marker. */
const LONGEST = '[s1234, p. 1234]'.length;
const BEGUN = /\[(?:s(?:\d{0,4}|\d{1,4},(?: (?:p(?:\.(?: ?\d{0,4})?)?)?)?)?)?$/;

/** Cuts a stream into texts and markers: what may become a marker is held back until it is one, or is not. */
export function createMarkerStream() {
  const code = createCodeState();
  let held = '';

  const take = (text: string): MarkedPiece[] => {
    const pieces: MarkedPiece[] = [];
    let at = 0;
    for (const match of text.matchAll(MARKER)) {
      code.push(text.slice(at, match.index));
      if (code.isInside()) {
        pieces.push({ text: text.slice(at, match.index) });
        at = match.index;
        continue;
      }
      pieces.push({ text: text.slice(at, match.index) }, { text: match[0], number: Number(match[1]) });
      code.push(match[0]);
      at = match.index + match[0].length;
    }
    code.push(text.slice(at));
    return [...pieces, { text: text.slice(at) }].filter((piece) => piece.text !== '');
  };

  return {
    push(delta: string): MarkedPiece[] {
      const text = held + delta;
      const tail = text.slice(-LONGEST);
      const begun = BEGUN.exec(tail)?.index;
      const end = begun === undefined ? text.length : text.length - tail.length + begun;
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

/** A piece of a stream; with a number, it is a marker. */
export type MarkedPiece = { readonly text: string; readonly number?: number };
