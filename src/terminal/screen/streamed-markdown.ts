/**
 * Cuts a growing text where what comes later can't change how the part before is shown: before a paragraph at the left
 * edge that follows an empty line, outside of code. Only the last piece has to be laid out again as it grows.
 */
export function settledPieces(text: string): string[] {
  const pieces: string[] = [];
  let piece: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    if (fence === undefined && piece.at(-1)?.trim() === '' && startsAnew(line)) {
      pieces.push(piece.join('\n'));
      piece = [];
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && fence === undefined) fence = mark;
    else if (mark && fence !== undefined && mark[0] === fence[0] && mark.length >= fence.length) fence = undefined;
    piece.push(line);
  }
  return [...pieces, piece.join('\n')];
}

/** Not a further item of a list, nor something that belongs to one. */
const startsAnew = (line: string) => /^[^\s>*+\-\d|]/.test(line);
