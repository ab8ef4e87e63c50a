/** Text between tags that the model knows. The text must be escaped with `escapeTags`. */
export const block = (tag: BlockTag, inner: string): string => `<${tag}>\n${inner}\n</${tag}>`;

type BlockTag = (typeof TAGS)[number];

const TAGS = ['instructions', 'user-context', 'untrusted-data'] as const;

/**
 * Takes their meaning from the tags of blocks, by a backslash: no text can close its block, or open
 * another. A model reads more generously than a parser, so what looks like a tag counts as one.
 */
export function escapeTags(value: string): string {
  return value.replace(ANGLE, (angle: string, offset: number) =>
    NAME.test(lettersAt(value, offset + angle.length)) ? `${angle}\\` : angle,
  );
}

/** As HTML, JSON, JavaScript and URLs write a character, which a model undoes without being asked; `code` is hexadecimal. */
const encoded = (name: string, code: string) =>
  String.raw`&(?:amp;){0,9}(?:${name}|#0{0,9}${Number.parseInt(code, 16)}|#x0{0,9}${code});?|\\u00${code}|\\x${code}|%(?:25){0,9}${code}`;

const LESS_THAN = String.raw`[<\uff1c\ufe64\u2039\u02c2\u1438\u16b2\u2329\u3008\u27e8\u276c\u276e\u29fc\xab\u300a\u27ea\u226a\u226e\u227a\u22d6]`;

/** Only where a name could follow, which spares most of them a closer look. */
const ANGLE = new RegExp(String.raw`(?:${LESS_THAN}|${encoded('lt', '3c')})(?=[iu_\-\/&\\%]|[^!-~])`, 'giv');

const SOLIDUS = String.raw`[\/\uff0f\u2215\u2044\u29f8\u2571\u27cb\u1735\u2041\u3033\u30ce\u4e3f\u2f03\u31d3\u2cc6\u2cc7]`;

/** Characters that are invisible or look like a gap; the last one is an empty braille cell. */
const GAP = String.raw`[\s_\p{Dash_Punctuation}\p{Other}\p{Mark}\p{Default_Ignorable_Code_Point}\u2800]`;

const GAPS = new RegExp(GAP, 'gv');

/** One at a time: a regular expression that repeats runs out of stack on millions of them. */
const BESIDE_NAME = new RegExp(`${GAP}|${SOLIDUS}|${encoded('sol', '2f')}`, 'ivy');

const ENDS_NAME = /[!-@[-`{-~]/;

/** Most letters are ASCII, for which a table is faster than the patterns. */
const [ENDS, BESIDE, LETTER] = [0, 1, 2];
const ASCII_KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/i.test(character)) return LETTER;
  return new RegExp(`${GAP}|${SOLIDUS}`, 'v').test(character) ? BESIDE : ENDS;
});

/** `&`, `\\` and `%`: the first character of an encoded solidus. */
const BEGINS_ENCODED: ReadonlySet<number> = new Set([0x26, 0x5c, 0x25]);

const BARE_NAMES = TAGS.map((tag) => tag.replaceAll('-', ''));

/** A letter without a plain form can look like any letter. */
const NAME = new RegExp(`^(?:${BARE_NAMES.map((name) => name.replace(/./g, '[$&\\x80-\\u{10ffff}]')).join('|')})`, 'u');

/** A letter can be two units of UTF-16. */
const LONGEST_NAME = 2 * Math.max(...BARE_NAMES.map((name) => name.length));

/** The letters from `start` on as one reads them: no accents, case, gaps or slashes; wide or joined ones as plain ones. */
function lettersAt(text: string, start: number): string {
  let letters = '';
  for (let at = start; at < text.length && letters.length < LONGEST_NAME; ) {
    const code = text.charCodeAt(at);
    if (code < 0x80 && !BEGINS_ENCODED.has(code)) {
      const kind = ASCII_KINDS[code];
      if (kind === ENDS) break;
      if (kind === LETTER) letters += String.fromCharCode(code | 0x20);
      at++;
      continue;
    }
    BESIDE_NAME.lastIndex = at;
    if (BESIDE_NAME.test(text)) {
      at = BESIDE_NAME.lastIndex;
      continue;
    }
    const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (ENDS_NAME.test(letter)) break;
    letters += letter.normalize('NFKD').toLowerCase().replace(GAPS, '');
    at += letter.length;
  }
  return letters;
}
