import { z } from 'zod';
import { isHeaderName, isHeaderValue, isReservedHeader } from './header-name.ts';
import { hostPatternProblem } from './host-pattern.ts';
import { pathProblem } from './path-spelling.ts';

/** Names that begin with `mcp.` or `model.` belong to the service's own secrets: tokens of MCP servers and keys of models. */
export function secretName() {
  return matching(
    /^(?!(?:mcp|model)\.)[a-z][\w.-]{0,63}$/i,
    'must be a secret name: a letter, then letters, digits and _ - . (64 at most), without mcp. or model. in front',
  );
}

export function environmentName() {
  return matching(/^[a-z_]\w{0,127}$/i, 'must be the name of an environment variable, such as WEATHER_API_KEY');
}

export function hostPattern() {
  return checked(hostPatternProblem).transform((host) => host.toLowerCase());
}

/** Normalised like the path of a URL, so that the two can be compared. */
export function pathPrefix() {
  return checked(prefixProblem).transform((prefix) => new URL(`https://host.invalid${prefix}`).pathname);
}

function prefixProblem(prefix: string): string | undefined {
  if (!prefix.startsWith('/')) return 'must begin with "/"; "/" alone means every path';
  if (/[?#]/.test(prefix)) return 'must be a path alone, without "?" or "#"';
  if (prefix.includes('*')) return 'must not have a "*": a prefix matches every path below it';
  if (prefix.length > 1_024) return 'must have at most 1024 characters';
  return pathProblem(prefix);
}

export function headerName() {
  return checked((name) => {
    if (!isHeaderName(name)) return 'must be the name of a header, such as X-Api-Key';
    return isReservedHeader(name) ? 'is a header that no credential can be in' : undefined;
  });
}

export function headerPrefix() {
  return checked((prefix) => (isHeaderValue(prefix) ? undefined : 'must be printable ASCII')).max(64);
}

/** With or without braces; the result has none. */
export function placeholder() {
  return matching(
    /^(?:\{[a-z]\w{0,63}\}|[a-z]\w{0,63})$/i,
    'must be a name in braces, such as {token}, which the tool then writes into its URL',
  ).transform((name) => name.replaceAll(/[{}]/g, ''));
}

export function httpsUrl() {
  return checked((text) => {
    const url = URL.parse(text);
    if (url?.protocol !== 'https:' || /[\s\\]/.test(text)) return 'must be an https:// address';
    return url.username || url.password || url.hash ? 'must have no user name and no "#"' : undefined;
  }).max(2_048);
}

/** Text for display. Control characters could make it look like other text. */
export function line(most: number) {
  return checked(readingProblem).max(most);
}

export function lines(most: number) {
  return checked((text) => readingProblem(text.replaceAll('\n', ' '))).max(most);
}

function readingProblem(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  return MISLEADING.test(text) ? 'must not have control characters in it' : undefined;
}

/** Control characters, and those that change the direction of writing. */
const MISLEADING = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export function whole(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

export function list<Entry extends z.ZodType>(entry: Entry, most: number) {
  return z.array(entry).max(most, `must have at most ${most} entries`).prefault([]);
}

/** A map from a name to an entry, as a list of entries that know their names. */
export function named<Entry extends ReturnType<typeof strict>>(entry: Entry) {
  const name = matching(/^[a-z][\w-]{0,63}$/i, 'must be named with a letter, then letters, digits, _ and -');
  return z
    .unknown()
    .refine((map) => !(map instanceof Object && Object.hasOwn(map, '__proto__')), 'must not have a key __proto__')
    .pipe(z.record(name, entry)) // which would skip that key in silence
    .transform((map) => Object.entries(map).map(([key, value]) => ({ name: key, ...value })))
    .prefault({});
}

export function matching(pattern: RegExp, expectation: string) {
  return checked((text) => (pattern.test(text) ? undefined : expectation));
}

function checked(problemOf: (text: string) => string | undefined) {
  return z.string().check(({ value, issues }) => {
    const message = problemOf(value);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  });
}

export function strict<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has no key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}: it may have ${known}`
        : undefined,
  });
}
