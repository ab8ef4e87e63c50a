/** A form of a secret, to be searched for in bytes that are read as Latin-1. */
export type Spelling = {
  readonly pattern: RegExp;
  /** How many characters next to it, on either side, hold some bits of the secret, too. */
  readonly before: number;
  readonly after: number;
};

/** A pattern for more than this would be too large to compile. */
const MAX_PIECE = 1024;

/** Nobody sends more in a request. What follows in a longer secret is not searched for. */
const MAX_PIECES = 8;

/** How `secret` looks when somebody passes it on: as it is, in hex, percent signs or base64, and quoted. */
export function spellingsOf(secret: string): Spelling[] {
  const values = [...new Set([secret, secret.trim()])].map((value) => value.toWellFormed());
  return values.flatMap(cut).flatMap((piece) => [...quoted(piece), ...encoded(piece), ...base64(piece)]);
}

/** A long secret is searched for piece by piece. The last one goes back to be no shorter than the others. */
function cut(value: string): string[] {
  const characters = Array.from(value);
  const pieces = Math.min(MAX_PIECES, Math.ceil(characters.length / MAX_PIECE));
  return Array.from({ length: pieces }, (_, index) => {
    const begin = Math.max(0, Math.min(index * MAX_PIECE, characters.length - MAX_PIECE));
    return characters.slice(begin, begin + MAX_PIECE).join('');
  });
}

function encoded(value: string): Spelling[] {
  const hex = Buffer.from(value).toString('hex');
  const percent = hex.replace(/../g, '%$&');
  return [hex, hex.toUpperCase(), percent, percent.toUpperCase()].map((text) => toSpelling([[text]]));
}

/** In base64 a secret looks different by where in the encoded bytes it begins; there are three ways. */
function base64(value: string): Spelling[] {
  return [0, 1, 2].map((lead) => {
    const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(value)]);
    const text = bytes.toString('base64').slice(Math.ceil((lead * 8) / 6), Math.floor((bytes.length * 8) / 6));
    const characters = Array.from(text, (character) => [...waysOf(character), BASE64URL[character] ?? character]);
    return { ...toSpelling(characters), before: lead > 0 ? 1 : 0, after: bytes.length % 3 > 0 ? 1 : 0 };
  });
}

const BASE64URL: Readonly<Record<string, string>> = { '+': '-', '/': '_' };

/** Each character may be quoted in a way of its own. */
function quoted(value: string): Spelling[] {
  const characters = Array.from(value, (character) => ({ ways: waysOf(character), isMark: MARK.test(character) }));
  if ((value.match(AMBIGUOUS)?.length ?? 0) <= MAX_AMBIGUOUS) return [toSpelling(characters.map(({ ways }) => ways))];

  const most = Math.max(...characters.map(({ ways, isMark }) => (isMark ? ways.length : 1)));
  return Array.from({ length: most }, (_, turn) =>
    toSpelling(characters.map(({ ways, isMark }) => (isMark ? ways.slice(turn, turn + 1) : ways))),
  );
}

/** What quotes begin with. */
const MARK = /[\\%&]/;

/** Marks that could be quoted or the beginning of a quote. Many of them can be read in so many ways that a search would never end. */
const AMBIGUOUS = /\\(?=[^a-z\d]|[xu])|%(?=25)|&(?=amp;|#)/gi;
const MAX_AMBIGUOUS = 6;

/** How a character is written in JSON, in JSON within JSON, in URLs and in HTML. Letters and digits are left alone. */
function waysOf(character: string): string[] {
  if (/[a-z\d]/i.test(character)) return [character];

  const json = JSON.stringify(character).slice(1, -1);
  const code = character.codePointAt(0) ?? 0;
  const percent = Buffer.from(character).toString('hex').replace(/../g, '%$&');
  const ways = [character, json, JSON.stringify(json).slice(1, -1), `\\${character}`, `\\x${hexOf(code, 2)}`];
  ways.push(Array.from({ length: character.length }, (_, at) => `\\u${hexOf(character.charCodeAt(at), 4)}`).join(''));
  ways.push(percent, percent.replaceAll('%', '%25'), character === ' ' ? '+' : character);
  ways.push(`&#${code};`, `&#x${hexOf(code, 1)};`, ENTITIES[character] ?? character);
  return ways.flatMap((way) => [way, withUpperHex(way)]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function hexOf(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

function withUpperHex(way: string): string {
  return way.replace(/(%|\\u|\\x|&#x)([\da-f]+)/g, (_, mark: string, digits: string) => mark + digits.toUpperCase());
}

function toSpelling(characters: readonly (readonly string[])[]): Spelling {
  const pattern = characters.map((ways) => `(?:${[...new Set(ways)].map(toPattern).join('|')})`).join('');
  return { pattern: new RegExp(pattern, 'g'), before: 0, after: 0 };
}

function toPattern(way: string): string {
  return RegExp.escape(Buffer.from(way).toString('latin1'));
}
