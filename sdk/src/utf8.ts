const REPLACEMENT = 0xfffd;
const CHUNK = 4096;

/** Decodes UTF-8 like a TextDecoder, which QuickJS lacks: invalid bytes become U+FFFD, and a byte order mark is dropped. */
export function decodeUtf8(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const points: number[] = [];
    while (at < bytes.length && points.length < CHUNK) at = readPoint(bytes, at, points);
    text += String.fromCodePoint(...points);
  }
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Encodes UTF-8 like a TextEncoder: a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text.toWellFormed()) {
    const point = character.codePointAt(0) ?? REPLACEMENT;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), tail(point));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), tail(point >> 6), tail(point));
    else bytes.push(0xf0 | (point >> 18), tail(point >> 12), tail(point >> 6), tail(point));
  }
  return Uint8Array.from(bytes);
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

/** Adds the code point that starts at `at`, and returns the start of the next one. */
function readPoint(bytes: Uint8Array, at: number, points: number[]): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) {
    points.push(first);
    return at + 1;
  }
  const length = lengthOf(first);
  let point = first & (0x7f >> length);
  for (let offset = 1; offset < length; offset++) {
    const next = bytes[at + offset] ?? 0;
    if (next >> 6 !== 0b10 || (offset === 1 && !canFollow(first, next))) {
      points.push(REPLACEMENT);
      return at + offset;
    }
    point = (point << 6) | (next & 0x3f);
  }
  points.push(length === 1 ? REPLACEMENT : point);
  return at + length;
}

/** The length that the first byte declares; 1 for a byte that can't be first. */
function lengthOf(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 1;
}

/** Rules out overlong encodings, surrogates, and everything above U+10FFFF. */
function canFollow(first: number, second: number): boolean {
  switch (first) {
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return second < 0xa0;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second < 0x90;
    default:
      return true;
  }
}
