import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { SEARCH_SIZES, type SearchLocation, type SearchOptions } from '#domain/search/search-options.ts';

/** For requests that name a search where none can be made. */
export const NO_ENGINE =
  "This service can't search the web: its operator has set up no search engine. Leave the search out.";

const host = z
  .string('A host is a name such as example.com.')
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z][a-z0-9-]{0,61}$/,
    'A host is a name such as example.com.',
  );
export const hosts = z.array(host, 'This must be a list of hosts.').max(100, 'A list may have 100 hosts.');

const place = z.string('This must be a text.').trim().min(1).max(100).nullish();
const location = z.object({
  city: place,
  region: place,
  country: z
    .string()
    .toUpperCase()
    .regex(/^[A-Z]{2}$/, 'A country is a code of two letters, such as DE.')
    .nullish(),
  timezone: place,
});
const approximate = z.literal('approximate', 'The type of a location must be "approximate".');
const size = z.enum(SEARCH_SIZES, `search_context_size must be one of ${SEARCH_SIZES.join(', ')}.`).nullish();

/** A hosted tool that searches the web. */
const hostedSearch = z.looseObject({
  filters: z.looseObject({ allowed_domains: hosts.nullish(), blocked_domains: hosts.nullish() }).nullish(),
  search_context_size: size,
  user_location: location.extend({ type: approximate.optional() }).nullish(),
  external_web_access: z
    .literal(true, 'There is no stored copy of the web to search instead. Leave external_web_access out.')
    .nullish(),
  search_content_types: z
    .array(z.literal('text', 'Only text is searched for. Leave search_content_types out.'))
    .nullish(),
});

/** `web_search_options` of chat completions. */
export const webSearchOptions = z.looseObject({
  search_context_size: size,
  user_location: z.looseObject({ type: approximate, approximate: location }).nullish(),
});

export function parseHostedSearch(given: unknown, param: string): SearchOptions {
  const { filters, search_context_size, user_location } = parsePart(hostedSearch, given, 'invalid_tool', param);
  const { allowed_domains: only, blocked_domains: not } = filters ?? {};
  return {
    ...(only?.length && { only }),
    ...(not?.length && { not }),
    ...shared(search_context_size, user_location ?? {}),
  };
}

export function parseSearchOptions(given: unknown, param: string): SearchOptions {
  const { search_context_size, user_location } = parsePart(webSearchOptions, given, 'invalid_request', param);
  return shared(search_context_size, user_location?.approximate ?? {});
}

function shared(
  given: z.infer<typeof size>,
  { city, region, country, timezone }: z.infer<typeof location>,
): SearchOptions {
  const known: SearchLocation = {
    ...(city && { city }),
    ...(region && { region }),
    ...(country && { country }),
    ...(timezone && { timezone }),
  };
  return { ...(given && { size: given }), ...(Object.keys(known).length > 0 && { location: known }) };
}

/** Checks a part of a request. The refusal names the field below `param`. */
export function parsePart<T>(
  schema: z.ZodType<T>,
  given: unknown,
  code: 'invalid_tool' | 'invalid_request',
  param: string,
): T {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const below = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  throw new InvalidRequest(code, param + below.join(''), issue?.message ?? 'This is not a search.');
}

/** The place in the prompt, so that its queries fit: engines know countries at most. */
export const locationContext = ({ location: known }: SearchOptions = {}) => known && { user_location: known };
