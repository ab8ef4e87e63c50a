/** Text as it is meant, its entities decoded. One that nobody knows stays as it is. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(ENTITY, (whole, body: string) => decode(body) ?? whole) : text;
}

const ENTITY = /&(#x[\da-f]{1,8}|#\d{1,9}|[a-z][a-z\d]{1,30});?/gi;

function decode(body: string): string | undefined {
  if (!body.startsWith('#')) return NAMED.get(body) ?? NAMED.get(body.toLowerCase());
  const code = /^#x/i.test(body) ? Number.parseInt(body.slice(2), 16) : Number(body.slice(1));
  const isLetter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isLetter ? String.fromCodePoint(code) : '\ufffd';
}

/** Names and what they stand for, in turn. */
const TABLE = `
  amp & lt < gt > quot " apos ' ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ laquo «
  raquo » lsaquo ‹ rsaquo › hellip … bull • middot · para ¶ sect § copy © reg ® trade ™ deg ° plusmn ±
  times × divide ÷ minus − frac12 ½ euro € pound £ yen ¥ cent ¢ larr ← rarr → uarr ↑ darr ↓ infin ∞ ne ≠
  le ≤ ge ≥ asymp ≈ micro µ sup2 ² sup3 ³ ordm º ordf ª iexcl ¡ iquest ¿ Auml Ä Ouml Ö Uuml Ü auml ä
  ouml ö uuml ü szlig ß eacute é Eacute É egrave è ecirc ê agrave à acirc â aacute á aring å Aring Å
  aelig æ oslash ø ccedil ç ntilde ñ iacute í oacute ó uacute ú ocirc ô ucirc û ugrave ù icirc î`;

const NAMED = new Map([
  ...Array.from(TABLE.matchAll(/(\w+) (\S+)/g), ([, name = '', letter = '']) => [name, letter] as const),
  ...['nbsp', 'ensp', 'emsp', 'thinsp'].map((name) => [name, ' '] as const),
  ...['shy', 'zwj', 'zwnj'].map((name) => [name, ''] as const),
]);
