import { type Spelling, spellingsOf } from './secret-spellings.ts';

/** Finds a tool's secrets in what goes out and comes in. */
export type SecretSearch = {
  /** The name of a secret that is in one of the parts. */
  findIn(...parts: (string | Uint8Array)[]): string | undefined;
  /** The bytes without the secrets, and each one's name as often as it was there. All other bytes stay as they are. */
  redact(bytes: Uint8Array): Redacted;
  /** A message of ours without the secrets, however short they are. */
  scrub(message: string): string;
};

export type Redacted = { readonly bytes: Uint8Array; readonly found: readonly string[] };

/** Shorter ones would be found in any text by chance. */
const LEAST_BYTES = 6;

/** Who answers with more of them than this means harm, and nothing of the answer is kept. */
const MAX_PLACES = 1_000;

export function createSecretSearch(secrets: ReadonlyMap<string, string>): SecretSearch {
  const all = [...secrets].map(([name, value]) => ({ name, value, spellings: spellingsOf(value) }));
  const long = all.filter(({ value }) => Buffer.byteLength(value.trim()) >= LEAST_BYTES);

  return {
    findIn(...parts) {
      const texts = parts.map((part) => toLatin1(typeof part === 'string' ? Buffer.from(part) : part));
      const isThere = (spelling: Spelling) => texts.some((text) => placesOf(text, spelling, '').length > 0);
      return long.find(({ spellings }) => spellings.some(isThere))?.name;
    },
    redact: (bytes) => redactFrom(bytes, long),
    scrub: (message) => Buffer.from(redactFrom(Buffer.from(message), all).bytes).toString(),
  };
}

type Searched = { readonly name: string; readonly spellings: readonly Spelling[] };
type Place = { readonly start: number; readonly end: number; readonly name: string };

function redactFrom(bytes: Uint8Array, secrets: readonly Searched[]): Redacted {
  const text = toLatin1(bytes);
  const places = secrets.flatMap(({ name, spellings }) =>
    spellings.flatMap((spelling) => placesOf(text, spelling, name)),
  );
  const [first] = places;
  if (!first) return { bytes, found: [] };

  const merged = places.length > MAX_PLACES ? [{ ...first, start: 0, end: text.length }] : merge(places);
  return { bytes: cutOut(bytes, merged), found: merged.map(({ name }) => name) };
}

function placesOf(text: string, { pattern, before, after }: Spelling, name: string): Place[] {
  const places: Place[] = [];
  pattern.lastIndex = 0;
  for (let match = findNext(pattern, text); match && places.length <= MAX_PLACES; match = findNext(pattern, text)) {
    const end = match.index + match[0].length;
    places.push({ start: Math.max(0, match.index - before), end: Math.min(text.length, end + after), name });
    pattern.lastIndex = match.index + 1; // a secret may overlap with itself
  }
  return places;
}

/** A pattern that can't be compiled would be in the error's message, and the secret with it. */
function findNext(pattern: RegExp, text: string): RegExpExecArray | null {
  try {
    return pattern.exec(text);
  } catch {
    throw new Error('A secret could not be searched for.');
  }
}

/** Places that touch become one, named after the first. */
function merge(places: Place[]): Place[] {
  const merged: Place[] = [];
  for (const place of places.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = merged.at(-1);
    if (!last || place.start > last.end) merged.push(place);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, place.end) };
  }
  return merged;
}

function cutOut(bytes: Uint8Array, places: readonly Place[]): Uint8Array {
  const kept = places.flatMap(({ start, name }, index) => [
    bytes.subarray(places[index - 1]?.end ?? 0, start),
    Buffer.from(`[redacted:${name}]`),
  ]);
  return Buffer.concat([...kept, bytes.subarray(places.at(-1)?.end ?? 0)]);
}

/** One character for one byte. */
function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
