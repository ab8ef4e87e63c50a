/** The text in at most `length` characters. A cut text ends with an ellipsis. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, Math.max(0, length - 1));
  return `${isHighSurrogate(kept.at(-1)) ? kept.slice(0, -1) : kept}…`;
}

/** Half of a character that takes two UTF-16 units. */
const isHighSurrogate = (unit: string | undefined) => unit !== undefined && /^[\uD800-\uDBFF]$/.test(unit);

/** The text in at most `maxBytes` bytes of UTF-8, and a note for the end that says how much is missing. */
export function cutBytes(text: string, maxBytes: number): { readonly kept: string; readonly note: string } {
  const size = Buffer.byteLength(text);
  if (size <= maxBytes) return { kept: text, note: '' };

  const bytes = Buffer.from(text);
  let end = maxBytes;
  while (isInsideCharacter(bytes[end])) end--;
  return { kept: bytes.toString('utf8', 0, end), note: `\n[Cut here: ${size - end} of ${size} bytes are left out.]` };
}

/** In UTF-8, every byte of a character except the first begins with the bits 10. */
const isInsideCharacter = (byte: number | undefined) => byte !== undefined && byte >> 6 === 0b10;
