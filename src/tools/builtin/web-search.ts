import { z } from 'zod';
import type { SearchSize } from '#domain/search/search-options.ts';
import { WEB_SEARCH } from '#domain/tool/reserved-names.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { type Found, FRESHNESS, type Search, type SearchAsk, SearchFailed } from '#search/search.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';
import { type CleanHit, cleanHits, mergeHits } from './web/clean-hits.ts';

/** The engine that the operator has chosen, and the rules for all queries. */
export type OpenedSearch = { readonly engine: string; readonly rules: SearchRules; readonly search: Search };

export type SearchRules = {
  readonly safe: SearchAsk['safe'];
  readonly language: string | undefined;
  readonly country: string | undefined;
  readonly only: readonly string[];
  readonly not: readonly string[];
};

/** How often a user may search in a day. */
export type SearchLimits = { readonly searches: number; readonly pages: number };

const parameters = z.strictObject({
  queries: z
    .array(z.string().trim().min(1).max(200))
    .min(1)
    .max(4)
    .describe('What to search for: up to four queries that look at the question from different sides.'),
  freshness: z.enum(FRESHNESS).describe('Only pages of the last day, week, month or year.').optional(),
  only: z.array(z.string().max(253)).max(10).describe('Only pages of these hosts and their subdomains.').optional(),
});

type Wanted = z.infer<typeof parameters>;

/** How many hits the model gets. */
const MOST_HITS: Readonly<Record<SearchSize, number>> = { low: 4, medium: 8, high: 16 };
/** Some hits are left out, or found twice. */
const SPARE_HITS = 2;
/** In one run: until the person's next message. */
const MOST_SEARCHES = 8;

/** `reborn_web_search`: pages that the operator's engine finds. It is offered only if there is an engine. */
export function webSearchTool(open: () => Promise<OpenedSearch | undefined>, limits: SearchLimits): Tool {
  return {
    definition: {
      name: WEB_SEARCH,
      description:
        'Searches the web and returns pages with their addresses and a few words of each. Read a page with reborn_web_fetch before you rely on it. After a statement that you take from a page, write its number, such as [s3].',
      parameters: shortSchemaOf(parameters),
      strict: null,
    },
    repeatable: true,
    level: 'allow',
    flow: { reads: { foreign: true }, from: 'search', runs: 'always' },
    source: (argumentsJson) => {
      const given = parseArguments(parameters, argumentsJson);
      return 'value' in given ? given.value.queries[0] : undefined;
    },
    isOffered: async () => (await open()) !== undefined,
    async call(argumentsJson, context) {
      const given = parseArguments(parameters, argumentsJson);
      const opened = await open();
      const refusal = 'error' in given ? given.error : await refusalOf(opened, limits, context);
      if (refusal !== undefined || 'error' in given || !opened) return refuse(context, refusal ?? NO_ENGINE);
      return searchFor(opened, given.value, context);
    },
  };
}

const NO_ENGINE = 'No search engine is set up any more. Continue without the search, and say so.';

async function refusalOf(
  opened: OpenedSearch | undefined,
  limits: SearchLimits,
  { webUse }: ToolContext,
): Promise<string | undefined> {
  if (!opened) return NO_ENGINE;
  const use = await webUse?.();
  if (!use) return undefined;
  const most = use.research?.searches ?? MOST_SEARCHES;
  if (use.ofRun.searches > most)
    return `Not searched: ${most} searches were made for this message. Answer with what you have, and say what is missing.`;
  if (use.today.searches >= limits.searches)
    return `Not searched: the user has made ${limits.searches} searches today, which is the limit. Answer with what you have, and say so.`;
  return undefined;
}

/** The service's own words are neither foreign nor private. */
function refuse({ onReads }: ToolContext, error: string): string {
  onReads?.({});
  return JSON.stringify({ error });
}

async function searchFor(opened: OpenedSearch, wanted: Wanted, context: ToolContext): Promise<string> {
  const { engine, rules, search } = opened;
  const startedAt = performance.now();
  const { only = [], not = [], location, size = 'medium' } = context.search ?? {};
  const most = MOST_HITS[size];
  const hosts = wanted.only ?? (only.length > 0 ? only : rules.only);
  const ask = {
    ...rules,
    country: location?.country ?? rules.country,
    count: most + SPARE_HITS,
    freshness: wanted.freshness,
    only: hosts,
    not: [...rules.not, ...not],
  };
  const answers = await Promise.all(wanted.queries.map((query) => answerOf(search, { ...ask, query }, context.signal)));
  const found = answers.flatMap((each) => ('error' in each ? [] : [each]));
  const milliseconds = performance.now() - startedAt;
  context.onCost?.({
    provider: 'web',
    model: `search ${engine}`,
    usage: { ...NO_USAGE, cost: costOf(found) },
    milliseconds,
    failed: found.length === 0,
  });
  const failed = [...new Set(answers.flatMap((each) => ('error' in each ? each.error : each.failed)))];
  const lists = found.map(({ hits }) => cleanHits(hits, [rules.only, only, hosts], ask.not));
  const hits = mergeHits(lists, most);
  if (hits.length === 0) return describeNothing(found.length > 0, failed, only);
  return showHits(hits, failed, context);
}

async function answerOf(search: Search, ask: SearchAsk, signal: AbortSignal): Promise<Found | { error: string }> {
  try {
    return await search(ask, signal);
  } catch (error) {
    if (!(error instanceof SearchFailed)) throw error;
    return { error: error.message };
  }
}

const costOf = (found: readonly Found[]) => {
  const usd = found.map((each) => each.usd);
  return usd.includes(null)
    ? null
    : { inputUsd: usd.reduce<number>((sum, each) => sum + (each ?? 0), 0), outputUsd: 0 };
};

/** A failure never reads like an empty result. */
function describeNothing(isAnswered: boolean, failed: readonly string[], only: readonly string[]): string {
  if (failed.length === 0)
    return only.length > 0 ? `Nothing was found. Results may only be from: ${only.join(', ')}` : 'Nothing was found.';
  const reasons = failed.join(' ').slice(0, 1000);
  const error = isAnswered
    ? `The search is incomplete and found nothing, which does not mean that there is nothing. What failed: ${reasons}`
    : `The search failed: ${reasons} Say so to the user, and continue without it.`;
  return JSON.stringify({ error });
}

async function showHits(hits: readonly CleanHit[], failed: readonly string[], context: ToolContext): Promise<string> {
  context.onReads?.({ foreign: true, results: hits.map(({ url }) => url) });
  const sources = hits.map((hit) => ({ ...hit, how: 'found' as const }));
  const numbers = (await context.sources?.add(sources)) ?? [];
  const lines = hits.map(({ url, title, published, text }, index) => {
    const { hostname } = new URL(url);
    const when = published ? `, ${published}` : '';
    return `[s${numbers[index] ?? index + 1}] ${title} — ${hostname}${when}\n${url}\n${text}`;
  });
  const silent = failed.length > 0 ? [`Did not answer: ${failed.join(' ').slice(0, 500)}`] : [];
  return [...lines, ...silent].join('\n\n');
}
