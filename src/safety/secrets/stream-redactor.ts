import { createMultiSearch, type MultiSearch, toSymbols } from '../multi-search.ts';

/** Shorter values would match any text by chance. */
const LEAST_LENGTH = 6;

export type StreamRedactor = {
  /** Returns the text that can be released. The possible start of a value is held back until it turns out to be something else. */
  push(piece: string): string;
  /** Returns the text still held back; call when nothing follows. */
  end(): string;
};

/** A range of the held text; its mark may have been released already. */
type Found = { start: number; end: number; mark: string };

/** Removes values from a text that arrives in pieces, when released text can't be taken back. */
export function createStreamRedactor(values: ReadonlyMap<string, string>): StreamRedactor {
  const { secrets, search } = remember(values);
  let held = '';
  let state = 0;
  let found: Found[] = [];

  return {
    push(piece) {
      if (secrets.length === 0) return piece;
      for (let at = 0; at < piece.length; at++) {
        state = search.advance(state, piece.charCodeAt(at));
        for (const index of search.hits(state)) note(held.length + at + 1, secrets[index]);
      }
      held += piece;
      return say(held.length - search.depth(state)); // no value can start earlier
    },
    end() {
      state = 0;
      return say(held.length);
    },
  };

  function note(end: number, secret: Secret | undefined): void {
    if (!secret) return;
    let { mark } = secret;
    let start = end - secret.plain.length;
    for (let last = found.at(-1); last && last.end > start; last = found.at(-1)) {
      if (last.start < start) mark = last.mark; // values that overlap get one mark, the first one's
      start = Math.min(start, last.start);
      found.pop();
    }
    found.push({ start, end, mark });
  }

  function say(until: number): string {
    if (until === 0) return '';
    let said = '';
    let at = 0;
    for (const { start, end, mark } of found) {
      if (start >= until) break;
      said += held.slice(at, Math.max(at, start)) + mark;
      at = end;
    }
    if (at < until) said += held.slice(at, until);
    found = found
      .filter(({ end }) => end > until)
      .map(({ start, end, mark }) => ({
        start: start - until,
        end: end - until,
        mark: start < until ? '' : mark,
      }));
    held = held.slice(until);
    return said;
  }
}

type Secret = { readonly plain: string; readonly mark: string };
type Prepared = { readonly secrets: readonly Secret[]; readonly search: MultiSearch };

/** Each model answer needs two redactors, and the values seldom change. */
const prepared = new WeakMap<ReadonlyMap<string, string>, Prepared>();

function remember(values: ReadonlyMap<string, string>): Prepared {
  const known = prepared.get(values) ?? prepare(values);
  prepared.set(values, known);
  return known;
}

function prepare(values: ReadonlyMap<string, string>): Prepared {
  const secrets = [...values].flatMap(([name, value]) => {
    const plain = value.trim();
    return plain.length < LEAST_LENGTH ? [] : [{ plain, mark: `[redacted:${name}]` }];
  });
  return { secrets, search: createMultiSearch(secrets.map(({ plain }) => toSymbols(plain))) };
}
