/** Bytes after decoding, and where each of them came from. */
export type View = {
  readonly bytes: Uint8Array;
  /** The ranges of the original bytes that these ranges of the view were decoded from. */
  toOriginal(ranges: readonly ByteRange[]): readonly ByteRange[];
};

export type ByteRange = { readonly start: number; readonly end: number };

/** The maximum number of nested encodings: JSON in JSON in a URL is three. */
const MAX_LAYERS = 3;

/**
 * A text in every form that may contain a secret: unchanged, with one kind of quoting decoded before the others, and with
 * all kinds decoded, layer by layer. Each form takes one pass, so the total time is linear.
 */
export function* viewsOf(bytes: Uint8Array, plusIsSpace: boolean): Generator<View> {
  const raw: View = { bytes, toOriginal: (ranges) => ranges };
  yield raw;

  const present = [BACKSLASH, PERCENT, AMPERSAND].filter((mark) => bytes.includes(mark));
  if (present.length > 1)
    for (const mark of present) {
      const one = decodeView(raw, marksOf(mark));
      yield one;
      yield decodeView(one, ALL);
    }
  if (plusIsSpace && bytes.includes(PLUS)) yield decodeView(raw, marksOf(PERCENT, PLUS));

  let inner = raw;
  for (let layer = 0; layer < MAX_LAYERS && present.length > 0; layer++) {
    const outer = inner;
    inner = decodeView(outer, ALL);
    if (inner.bytes.length === outer.bytes.length) return; // decoding always shortens the text
    yield inner;
  }
}

const [BACKSLASH, PERCENT, AMPERSAND, PLUS] = [0x5c, 0x25, 0x26, 0x2b];

/** For each byte, whether it starts a sequence to decode. */
type Marks = Uint8Array;

const marksOf = (...bytes: readonly number[]): Marks =>
  Uint8Array.from({ length: 256 }, (_, byte) => (bytes.includes(byte) ? 1 : 0));

const ALL = marksOf(BACKSLASH, PERCENT, AMPERSAND);

function decodeView(outer: View, marks: Marks): View {
  const { bytes } = outer;
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    const unit = marks[byte] === 1 ? decodeAt(bytes, at, byte) : NOTHING;
    if (unit === NOTHING) {
      out[length++] = byte;
      at++;
    } else {
      length = write(out, length, valueOf(unit));
      at += lengthOf(unit);
    }
  }
  return {
    bytes: out.subarray(0, length),
    toOriginal: (ranges) => outer.toOriginal(originsOf(bytes, marks, ranges)),
  };
}

/** Decodes again instead of storing the origin of every byte, because origins are needed only where something was found. */
function originsOf(bytes: Uint8Array, marks: Marks, ranges: readonly ByteRange[]): ByteRange[] {
  const wanted = ranges.flatMap(({ start, end }) => [start, end - 1]).toSorted((one, other) => one - other);
  const origins = new Map<number, ByteRange>();
  let length = 0;
  let next = 0;
  for (let at = 0; at < bytes.length && next < wanted.length; ) {
    const byte = bytes[at] ?? 0;
    const unit = marks[byte] === 1 ? decodeAt(bytes, at, byte) : NOTHING;
    const end = at + (unit === NOTHING ? 1 : lengthOf(unit));
    length += unit === NOTHING ? 1 : widthOf(valueOf(unit));
    for (let offset = wanted[next]; offset !== undefined && offset < length; offset = wanted[++next])
      origins.set(offset, { start: at, end });
    at = end;
  }
  return ranges.map(({ start, end }) => ({
    start: origins.get(start)?.start ?? bytes.length,
    end: origins.get(end - 1)?.end ?? bytes.length,
  }));
}

/**
 * An encoded sequence: its length, and its code point or, above all code points, its byte. Packed into one number, because
 * there can be millions of them, and an object for each would cost more than the decoding.
 */
type Unit = number;

const NOTHING: Unit = 0;
const SHIFT = 0x400000;
const FIRST_BYTE = 0x110000;

const toUnit = (length: number, value: number): Unit => length * SHIFT + value;
const byteUnit = (length: number, byte: number): Unit => toUnit(length, FIRST_BYTE + byte);
const lengthOf = (unit: Unit) => Math.floor(unit / SHIFT);
const valueOf = (unit: Unit) => unit % SHIFT;

function decodeAt(bytes: Uint8Array, at: number, mark: number): Unit {
  if (mark === PLUS) return byteUnit(1, 0x20);
  if (mark === BACKSLASH) return afterBackslash(bytes, at);
  if (mark === AMPERSAND) return entityAt(bytes, at);
  const byte = hexAt(bytes, at + 1, 2);
  return byte < 0 ? NOTHING : byteUnit(3, byte);
}

/** As in JSON, JavaScript and shells. */
function afterBackslash(bytes: Uint8Array, at: number): Unit {
  const next = bytes[at + 1];
  if (next === undefined) return NOTHING;
  if (next === 0x75) return escapedUnit(bytes, at);
  if (next === 0x78) {
    const code = hexAt(bytes, at + 2, 2);
    return code < 0 ? NOTHING : toUnit(4, code);
  }
  const control = CONTROLS.get(next);
  if (control !== undefined) return byteUnit(2, control);
  return isLetterOrDigit(next) ? NOTHING : byteUnit(2, next);
}

/** `\u0041`; for a surrogate pair, both halves. */
function escapedUnit(bytes: Uint8Array, at: number): Unit {
  const unit = hexAt(bytes, at + 2, 4);
  if (unit < 0) return NOTHING;
  const isPair = unit >> 10 === 0b110110 && bytes[at + 6] === BACKSLASH && bytes[at + 7] === 0x75;
  const second = isPair ? hexAt(bytes, at + 8, 4) : -1;
  if (second >> 10 !== 0b110111) return toUnit(6, unit);
  return toUnit(12, 0x10000 + ((unit & 0x3ff) << 10) + (second & 0x3ff));
}

/** `b`, `f`, `n`, `r` and `t`. */
const CONTROLS: ReadonlyMap<number, number> = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/** An HTML entity: a number, or one of the five that every encoder uses. */
function entityAt(bytes: Uint8Array, at: number): Unit {
  if (bytes[at + 1] !== 0x23) return namedEntityAt(bytes, at);
  const isHex = ((bytes[at + 2] ?? 0) | 0x20) === 0x78;
  const start = at + (isHex ? 3 : 2);
  let code = 0;
  for (let index = start; index < start + MAX_DIGITS; index++) {
    const byte = bytes[index] ?? 0;
    if (byte === 0x3b) return index === start || code >= FIRST_BYTE ? NOTHING : toUnit(index + 1 - at, code);
    const digit = hexDigit(byte);
    if (digit < 0 || (!isHex && digit > 9)) return NOTHING;
    code = code * (isHex ? 16 : 10) + digit;
  }
  return NOTHING;
}

/** The decimal digits of the largest code point, and the semicolon. */
const MAX_DIGITS = 8;

function namedEntityAt(bytes: Uint8Array, at: number): Unit {
  let packed = 0;
  for (let index = at + 1; index < at + 6; index++) {
    const byte = bytes[index] ?? 0;
    const code = byte === 0x3b ? ENTITIES.get(packed) : undefined;
    if (code !== undefined) return byteUnit(index + 1 - at, code);
    if (!isLetterOrDigit(byte)) return NOTHING;
    packed = packed * 256 + byte;
  }
  return NOTHING;
}

/** Keyed by the bytes of the name as one number. */
const ENTITIES: ReadonlyMap<number, number> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }).map(([name, letter]) => [
    Array.from(name).reduce((packed, character) => packed * 256 + character.charCodeAt(0), 0),
    letter.charCodeAt(0),
  ]),
);

/** The hexadecimal number at this position, or -1. */
function hexAt(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0;
  for (let index = at; index < at + digits; index++) {
    const digit = hexDigit(bytes[index] ?? 0);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}

function isLetterOrDigit(byte: number): boolean {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}

function widthOf(value: number): number {
  if (value < 0x80 || value >= FIRST_BYTE) return 1;
  return value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
}

/** Writes UTF-8. A lone surrogate is encoded, too, so that nothing gets lost. Returns the end position. */
function write(out: Uint8Array, at: number, value: number): number {
  const width = widthOf(value);
  if (width === 1) {
    out[at] = value >= FIRST_BYTE ? value - FIRST_BYTE : value;
    return at + 1;
  }
  for (let last = width - 1, rest = value; last > 0; last--, rest >>= 6) out[at + last] = 0x80 | (rest & 0x3f);
  out[at] = ((0xf00 >> width) & 0xff) | (value >> (6 * (width - 1)));
  return at + width;
}
