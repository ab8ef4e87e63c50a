import { cutBytes } from '#domain/text/cut.ts';

/**
 * Foreign text without characters that a person does not see but a model reads: controls, marks of writing direction,
 * zero-width characters, tags and variation selectors. Long text is cut.
 */
export function cleanText(text: string, maxBytes: number): string {
  // Cut twice: before, so that the expression runs over a bounded text, and after, with the note.
  const bounded = text.length > 4 * maxBytes ? text.slice(0, 4 * maxBytes) : text;
  const visible = bounded.toWellFormed().replace(HIDDEN, '').trim();
  const { kept, note } = cutBytes(visible, maxBytes);
  return kept + note;
}

const HIDDEN = /[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}/gu;
