import { z } from 'zod';
import { type AskEngine, entries, textField } from '../ask-engine.ts';
import type { Freshness, Search } from '../search.ts';

const ADDRESS = 'https://api.exa.ai/search';
const USD = 0.007;

const answer = z.object({
  results: entries(
    z.object({
      url: z.string(),
      title: textField,
      publishedDate: textField,
      highlights: entries(z.string()).catch([]),
      text: textField,
    }),
  ),
});

export function exa(ask: AskEngine, apiKey: string): Search {
  return async ({ query, count, freshness, country, safe, only, not }, signal) => {
    const body = JSON.stringify({
      query,
      type: 'auto',
      numResults: Math.min(count, 20),
      contents: { highlights: true },
      ...(freshness && { startPublishedDate: daysAgo(DAYS[freshness]) }),
      ...(country && { userLocation: country }),
      ...(safe !== 'off' && { moderation: true }),
      ...(only?.length && { includeDomains: only }),
      ...(not?.length && !only?.length && { excludeDomains: not }),
    });
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const { results } = await ask('Exa', { method: 'POST', url: ADDRESS, headers, body }, answer, signal);
    const hits = results.map((each) => ({
      url: each.url,
      title: each.title ?? '',
      snippet: each.highlights.join(' … ') || (each.text ?? ''),
      published: each.publishedDate ?? null,
    }));
    return { hits, failed: [], usd: USD };
  };
}

const DAYS: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 366 };
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
