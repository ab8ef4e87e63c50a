import { z } from 'zod';
import { type AskEngine, entries, textField } from '../ask-engine.ts';
import { type Search, SearchFailed } from '../search.ts';

const answer = z.object({
  results: entries(z.object({ url: z.string(), title: textField, content: textField, publishedDate: textField })),
  unresponsive_engines: entries(z.tuple([z.string(), z.string()])).catch([]),
});

const SAFE = { off: '0', moderate: '1', strict: '2' } as const;

/**
 * SearXNG on a self-hosted server, which may be in a private network. It has no parameter for lists of hosts, and answers with an
 * empty list when none of the engines that it asks has answered.
 */
export function searxng(ask: AskEngine, baseUrl: string): Search {
  return async ({ query, count, freshness, language, safe }, signal) => {
    const url = new URL(`${baseUrl.replace(/\/$/, '')}/search`);
    const wanted = { q: query, format: 'json', safesearch: SAFE[safe], language, time_range: freshness };
    for (const [name, value] of Object.entries(wanted)) if (value) url.searchParams.set(name, value);
    const { results, unresponsive_engines: silent } = await ask(
      'SearXNG',
      { method: 'GET', url, privateOrigin: url.origin },
      answer,
      signal,
    );
    const failed = silent.map(([name, reason]) => `${name} (${reason})`.slice(0, 200));
    if (results.length === 0 && failed.length > 0)
      throw new SearchFailed(`SearXNG got no answer from its engines: ${failed.join(', ').slice(0, 500)}.`);
    if (results.length === 0 && freshness) failed.push(NOT_ASKED);
    const hits = results.slice(0, count).map((each) => ({
      url: each.url,
      title: each.title ?? '',
      snippet: each.content ?? '',
      published: each.publishedDate ?? null,
    }));
    return { hits, failed, usd: 0 };
  };
}

/** It does not say which engines it has left out. */
const NOT_ASKED =
  'SearXNG asks only those of its engines that can limit a search to a time, and there may be none. Search again without freshness.';
