import { createMultiSearch, type MultiSearch } from '../multi-search.ts';
import { type View, viewsOf } from './decoded-views.ts';
import { type Spelling, spellingsOf } from './secret-spellings.ts';

/** Finds a tool's secrets in its requests and responses. */
export type SecretSearch = {
  /** The name of a secret that occurs in one of the parts. */
  findIn(...parts: (string | Uint8Array)[]): string | undefined;
  /** The bytes without the secrets, and the name of each secret once per occurrence. All other bytes are unchanged. */
  redact(bytes: Uint8Array): Redacted;
  /** Removes the secrets from a message of the service, even very short ones. */
  scrub(message: string): string;
};

export type Redacted = { readonly bytes: Uint8Array; readonly found: readonly string[] };

/** Shorter secrets would match any text by chance. */
const LEAST_BYTES = 6;

/** An answer with more matches than this is malicious, and nothing of it is kept. */
const MAX_MATCHES = 1_000;

export function createSecretSearch(secrets: ReadonlyMap<string, string>): SecretSearch {
  const long = lazily(() =>
    prepare([...secrets].filter(([, value]) => Buffer.byteLength(value.trim()) >= LEAST_BYTES)),
  );
  const all = lazily(() => prepare([...secrets]));

  return {
    findIn(...parts) {
      const searched = long();
      return parts
        .map((part) => findMatches(typeof part === 'string' ? Buffer.from(part) : part, searched, 1)[0]?.name)
        .find((name) => name !== undefined);
    },
    redact: (bytes) => redactFrom(bytes, long()),
    scrub: (message) => Buffer.from(redactFrom(Buffer.from(message), all()).bytes).toString(),
  };
}

/** The prepared search terms. */
type Searched = {
  readonly spellings: readonly (Spelling & { readonly name: string })[];
  readonly search: MultiSearch;
  readonly hasSpace: boolean;
};

type Match = { readonly start: number; readonly end: number; readonly name: string };

function prepare(secrets: readonly (readonly [name: string, value: string])[]): Searched {
  const spellings = secrets.flatMap(([name, value]) => spellingsOf(value).map((spelling) => ({ ...spelling, name })));
  return {
    spellings,
    search: createMultiSearch(spellings.map(({ bytes }) => bytes)),
    hasSpace: secrets.some(([, value]) => value.trim().includes(' ')),
  };
}

function redactFrom(bytes: Uint8Array, searched: Searched): Redacted {
  const matches = findMatches(bytes, searched, MAX_MATCHES + 1);
  const [first] = matches;
  if (!first) return { bytes, found: [] };

  const merged = matches.length > MAX_MATCHES ? [{ ...first, start: 0, end: bytes.length }] : merge(matches);
  return { bytes: cutOut(bytes, merged), found: merged.map(({ name }) => name) };
}

function findMatches(bytes: Uint8Array, searched: Searched, most: number): Match[] {
  const matches: Match[] = [];
  if (searched.spellings.length === 0) return matches;
  for (const view of viewsOf(bytes, searched.hasSpace)) {
    matches.push(...matchesIn(view, searched, most - matches.length));
    if (matches.length >= most) break;
  }
  return matches;
}

function matchesIn(view: View, { spellings, search }: Searched, most: number): Match[] {
  const matches: Match[] = [];
  search.scan(view.bytes, (index, end) => {
    const spelling = spellings[index];
    if (spelling) {
      const start = Math.max(0, end - spelling.bytes.length - spelling.before);
      matches.push({ name: spelling.name, start, end: Math.min(view.bytes.length, end + spelling.after) });
    }
    return matches.length < most;
  });
  const origins = matches.length > 0 ? view.toOriginal(matches) : [];
  return origins.map((range, index) => ({ ...range, name: matches[index]?.name ?? '' }));
}

/** Adjacent matches become one, named after the first. */
function merge(matches: Match[]): Match[] {
  const merged: Match[] = [];
  for (const match of matches.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = merged.at(-1);
    if (!last || match.start > last.end) merged.push(match);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, match.end) };
  }
  return merged;
}

function cutOut(bytes: Uint8Array, matches: readonly Match[]): Uint8Array {
  const kept = matches.flatMap(({ start, name }, index) => [
    bytes.subarray(matches[index - 1]?.end ?? 0, start),
    Buffer.from(`[redacted:${name}]`),
  ]);
  return Buffer.concat([...kept, bytes.subarray(matches.at(-1)?.end ?? 0)]);
}

function lazily<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
