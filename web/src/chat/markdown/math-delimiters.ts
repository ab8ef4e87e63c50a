/**
 * Writes formulas the way that the parser reads them: `$$…$$`, on separate lines for a block. Models also write
 * `\(…\)`, `\[…\]` and `$…$`. A dollar sign before an amount stays what it is.
 */
export function markMath(text: string): string {
  if (!/\$|\\[([]/.test(text)) return text;
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 0 ? markProse(part) : part))
    .join('');
}

/** Fenced code up to its end or the end of the text, and code inside a line. */
const CODE = /((?<=^|\n)[ \t]*(?:```|~~~)[\s\S]*?(?:\n[ \t]*(?:```|~~~)(?=\s|$)|$)|`[^`\n]+`)/;

function markProse(text: string): string {
  return text
    .replace(/\\\[([^[\]]{0,4000}?(?:\[[^[\]]{0,1000}\][^[\]]{0,1000}?){0,20})\\\]/g, block)
    .replace(/(?<=^|\n)[ \t]*\$\$([^$\n]{1,4000})\$\$[ \t]*(?=\n|$)/g, block)
    .replace(/\\\(([^\n]{1,2000}?)\\\)/g, (_all, formula: string) => `$$${formula.trim()}$$`)
    .replace(INLINE, (all, formula: string) => (FORMULA.test(formula) ? `$$${formula}$$` : all));
}

const block = (_all: string, formula: string) => `\n\n$$\n${formula.trim()}\n$$\n\n`;

/** No space inside the dollar signs, no word or number right after them. */
const INLINE = /(?<![\\$\w])\$(?![\s$])((?:[^$\n\\`]|\\[^\n]){1,500}?)(?<!\s)\$(?![$\w])/g;

/** A name of one or two letters, or something that is calculated. */
const FORMULA = /^[a-z]{1,2}'?$|^\d+$|[\\^_=<>+*/|]|[a-z\d)]\s*-\s*[a-z\d(]|[a-z]\(/i;
