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
    .replace(LOOKALIKES, (letter) => PLAIN[letter] ?? letter)
    .replace(/\s+/g, ' ');
}

/** Each stands for a letter of ASCII. */
const TAGS = /[\u{e0020}-\u{e007e}]/gu;

const INVISIBLE = /[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Co}]|(?!\s)\p{Cc}/gu;

const PLAIN: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x', і: 'i' },
  ...{ ѕ: 's', ј: 'j', ԁ: 'd', ɡ: 'g', ո: 'n', υ: 'u', ν: 'v', α: 'a', ο: 'o', ρ: 'p', ι: 'i', ε: 'e', κ: 'k', τ: 't' },
  ...{ ı: 'i', ł: 'l', ø: 'o', đ: 'd', ß: 'ss', '’': "'", ʼ: "'", '‐': '-', '–': '-' },
};

const LOOKALIKES = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');
