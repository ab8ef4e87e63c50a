import { InvalidRequest } from '#domain/errors.ts';

/** Of strings, and of brackets, commas and colons between them. A large body is mostly a few long strings. */
const MAX_STRUCTURE = 150_000;

/** Parses what a caller sent. `problem`: says that it is not JSON. */
export function parseJson(text: string, problem: string): unknown {
  if (isTooComplex(text))
    throw new InvalidRequest('invalid_request', null, 'The JSON has too many values. Send fewer at once.');
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequest('invalid_request', null, problem);
  }
}

/** Parsing a million short values blocks the process for a second. */
function isTooComplex(text: string): boolean {
  if (text.length <= MAX_STRUCTURE) return false;
  const structure = /["[{,:]/g;
  for (let found = 0; found <= MAX_STRUCTURE; found++) {
    const [sign] = structure.exec(text) ?? [];
    if (sign === undefined) return false;
    if (sign === '"') structure.lastIndex = endOfString(text, structure.lastIndex);
  }
  return true;
}

/** The place after the quote that closes the string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (first > start && text[first - 1] === '\\') first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}
