import { z } from 'zod';
import { type AskEngine, entries, textField } from '../ask-engine.ts';
import type { Search } from '../search.ts';

const ADDRESS = 'https://api.tavily.com/search';
const USD = 0.008;

const answer = z.object({
  results: entries(z.object({ url: z.string(), title: textField, content: textField, published_date: textField })),
});

export function tavily(ask: AskEngine, apiKey: string): Search {
  return async ({ query, count, freshness, only, not }, signal) => {
    const body = JSON.stringify({
      query,
      max_results: Math.min(count, 20),
      search_depth: 'basic',
      time_range: freshness,
      ...(only?.length && { include_domains: only }),
      ...(not?.length && { exclude_domains: not }),
    });
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const { results } = await ask('Tavily', { method: 'POST', url: ADDRESS, headers, body }, answer, signal);
    const hits = results.map((each) => ({
      url: each.url,
      title: each.title ?? '',
      snippet: each.content ?? '',
      published: each.published_date ?? null,
    }));
    return { hits, failed: [], usd: USD };
  };
}
