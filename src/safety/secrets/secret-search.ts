import { createMultiSearch, type MultiSearch } from '../multi-search.ts';
import { type View, viewsOf } from './decoded-views.ts';
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
  const long = lazily(() =>
    prepare([...secrets].filter(([, value]) => Buffer.byteLength(value.trim()) >= LEAST_BYTES)),
  );
  const all = lazily(() => prepare([...secrets]));

  return {
    findIn(...parts) {
      const searched = long();
      return parts
        .map((part) => findPlaces(typeof part === 'string' ? Buffer.from(part) : part, searched, 1)[0]?.name)
        .find((name) => name !== undefined);
    },
    redact: (bytes) => redactFrom(bytes, long()),
    scrub: (message) => Buffer.from(redactFrom(Buffer.from(message), all()).bytes).toString(),
  };
}

/** What is searched for, made ready once. */
type Searched = {
  readonly spellings: readonly (Spelling & { readonly name: string })[];
  readonly search: MultiSearch;
  readonly hasSpace: boolean;
};

type Place = { readonly start: number; readonly end: number; readonly name: string };

function prepare(secrets: readonly (readonly [name: string, value: string])[]): Searched {
  const spellings = secrets.flatMap(([name, value]) => spellingsOf(value).map((spelling) => ({ ...spelling, name })));
  return {
    spellings,
    search: createMultiSearch(spellings.map(({ bytes }) => bytes)),
    hasSpace: secrets.some(([, value]) => value.trim().includes(' ')),
  };
}

function redactFrom(bytes: Uint8Array, searched: Searched): Redacted {
  const places = findPlaces(bytes, searched, MAX_PLACES + 1);
  const [first] = places;
  if (!first) return { bytes, found: [] };

  const merged = places.length > MAX_PLACES ? [{ ...first, start: 0, end: bytes.length }] : merge(places);
  return { bytes: cutOut(bytes, merged), found: merged.map(({ name }) => name) };
}

function findPlaces(bytes: Uint8Array, searched: Searched, most: number): Place[] {
  const places: Place[] = [];
  if (searched.spellings.length === 0) return places;
  for (const view of viewsOf(bytes, searched.hasSpace)) {
    places.push(...placesIn(view, searched, most - places.length));
    if (places.length >= most) break;
  }
  return places;
}

function placesIn(view: View, { spellings, search }: Searched, most: number): Place[] {
  const places: Place[] = [];
  search.scan(view.bytes, (index, end) => {
    const spelling = spellings[index];
    if (spelling) {
      const start = Math.max(0, end - spelling.bytes.length - spelling.before);
      places.push({ name: spelling.name, start, end: Math.min(view.bytes.length, end + spelling.after) });
    }
    return places.length < most;
  });
  const origins = places.length > 0 ? view.toOriginal(places) : [];
  return origins.map((range, index) => ({ ...range, name: places[index]?.name ?? '' }));
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

function lazily<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
