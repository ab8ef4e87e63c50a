import { z } from 'zod';
import { type AskEngine, entries, textField } from '../ask-engine.ts';
import type { Search } from '../search.ts';

const ADDRESS = 'https://api.search.brave.com/res/v1/web/search';
const USD = 0.005;

const answer = z.object({
  web: z
    .object({
      results: entries(
        z.object({ url: z.string(), title: textField, description: textField, page_age: textField, age: textField }),
      ),
    })
    .nullish(), // left out when nothing was found
  type: z.literal('search'),
});

const FRESHNESS = { day: 'pd', week: 'pw', month: 'pm', year: 'py' } as const;

export function brave(ask: AskEngine, apiKey: string): Search {
  return async ({ query, count, freshness, language, country, safe }, signal) => {
    const url = new URL(ADDRESS);
    const wanted = {
      q: query,
      count: String(Math.min(count, 20)),
      safesearch: safe,
      search_lang: language,
      country,
      freshness: freshness && FRESHNESS[freshness],
    };
    for (const [name, value] of Object.entries(wanted)) if (value) url.searchParams.set(name, value);
    const headers = { 'x-subscription-token': apiKey };
    const { web } = await ask('Brave', { method: 'GET', url, headers }, answer, signal);
    const hits = (web?.results ?? []).map((each) => ({
      url: each.url,
      title: each.title ?? '',
      snippet: each.description ?? '',
      published: each.page_age ?? each.age ?? null,
    }));
    return { hits, failed: [], usd: USD };
  };
}
