/**
 * A text as a reader understands it: without case, accents and invisible characters, with look-alikes replaced by Latin
 * letters, and one space for each gap. Search words go through it as well.
 */
export function toPlainLetters(text: string): string {
  return text
    .replace(TAGS, (tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000))
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .replace(LOOKALIKES, (letter) => PLAIN.get(letter) ?? letter)
    .replace(/\s+/g, ' ');
}

/** Each represents an ASCII character. */
const TAGS = /[\u{e0020}-\u{e007e}]/gu;

const INVISIBLE = /[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Co}]|(?!\s)\p{Cc}/gu;

/** A letter and its replacement. */
const TABLE = `
  аa вb еe кk мm нh оo рp сc тt уy хx іi ѕs јj ԁd ɡg ոn υu νv αa οo ρp ιi εe κk τt
  ıi łl øo đd ßss ’' ʼ' ‐- –-`;

const PLAIN = new Map(Array.from(TABLE.matchAll(/(\S)(\S+)/gu), ([, letter = '', plain = '']) => [letter, plain]));

const LOOKALIKES = new RegExp(`[${[...PLAIN.keys()].join('')}]`, 'gu');
