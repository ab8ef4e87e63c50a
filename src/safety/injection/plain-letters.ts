/**
 * A text as somebody reads it who wants to understand it: no case, accents, invisible letters or foreign ones that look
 * like ours, and one space wherever there is a gap. Words to be searched for go through it as well.
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

/** Each stands for a letter of ASCII. */
const TAGS = /[\u{e0020}-\u{e007e}]/gu;

const INVISIBLE = /[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Co}]|(?!\s)\p{Cc}/gu;

/** A letter, and what it is read as. */
const TABLE = `
  аa вb еe кk мm нh оo рp сc тt уy хx іi ѕs јj ԁd ɡg ոn υu νv αa οo ρp ιi εe κk τt
  ıi łl øo đd ßss ’' ʼ' ‐- –-`;

const PLAIN = new Map(Array.from(TABLE.matchAll(/(\S)(\S+)/gu), ([, letter = '', plain = '']) => [letter, plain]));

const LOOKALIKES = new RegExp(`[${[...PLAIN.keys()].join('')}]`, 'gu');
