import { z } from 'zod';
import type { DescribedSearch, SearchSettings } from '#agent/administration/search-settings.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { hosts } from '../../model-api/search-options.ts';
import { apiKey, baseUrl } from '../access-fields.ts';

type Services = { readonly searchSettings: SearchSettings };

const engine = z.enum(['searxng', 'brave', 'tavily', 'exa']);
const safe = z.enum(['off', 'moderate', 'strict']);

const setting = z
  .strictObject({
    engine: engine.nullable().describe('null: there is none, and the agent has no search.'),
    source: z.enum(['environment', 'stored']).nullable(),
    base_url: z.string().nullable(),
    has_key: z.boolean(),
    safe,
    language: z.string().nullable(),
    country: z.string().nullable(),
    only: z.array(z.string()),
    not: z.array(z.string()),
  })
  .meta({ id: 'SearchSetting' });

const getSearch = defineRoute({
  method: 'get',
  path: '/api/settings/search',
  summary: 'Show the search engine of the agent, without its key.',
  access: 'operator',
  responses: { 200: { description: 'The setting.', json: setting } },
  async handle({ principal }, { searchSettings }: Services) {
    return renderSetting(await searchSettings.describe(principal));
  },
});

const putSearch = defineRoute({
  method: 'put',
  path: '/api/settings/search',
  summary: 'Choose the search engine of the agent.',
  access: 'operator',
  body: z
    .strictObject({
      engine,
      base_url: baseUrl.describe('Of SearXNG, which may be in a private network. The others have one address each.'),
      api_key: apiKey.describe(
        'Encrypted, and never shown again. Without it, the key that is stored for this engine stays.',
      ),
      safe: safe.default('moderate'),
      language: z
        .string()
        .regex(/^[a-z]{2,3}(-[A-Za-z]{2,4})?$/, 'A language is a code such as en.')
        .nullish(),
      country: z
        .string()
        .regex(/^[A-Z]{2}$/, 'A country is a code such as DE.')
        .nullish(),
      only: hosts.default([]).describe('Hosts, with their subdomains, that results may be from; empty for all.'),
      not: hosts.default([]).describe('Hosts, with their subdomains, that no result is from.'),
    })
    .meta({ id: 'SearchChange' }),
  responses: { 200: { description: 'The setting after the change.', json: setting } },
  errors: [400, 413],
  async handle({ principal, body }, { searchSettings }: Services) {
    const { base_url, api_key, language, country, ...rest } = body;
    await searchSettings.put(principal, {
      ...rest,
      ...(base_url && { baseUrl: base_url }),
      ...(api_key && { apiKey: api_key }),
      ...(language && { language }),
      ...(country && { country }),
    });
    return renderSetting(await searchSettings.describe(principal));
  },
});

const removeSearch = defineRoute({
  method: 'delete',
  path: '/api/settings/search',
  summary: 'Remove the stored search engine with its keys. That of the environment is used again, if there is one.',
  access: 'operator',
  responses: { 204: { description: 'It was removed.' } },
  errors: [404],
  async handle({ principal }, { searchSettings }: Services) {
    await searchSettings.remove(principal);
  },
});

const testSearch = defineRoute({
  method: 'post',
  path: '/api/settings/search/test',
  summary: 'Ask the search engine one query.',
  access: 'operator',
  body: z.strictObject({ query: z.string().trim().min(1).max(200).default('weather') }).meta({ id: 'SearchTest' }),
  responses: {
    200: {
      description: 'Three hits, or why there are none.',
      json: z
        .strictObject({
          hits: z.array(z.strictObject({ title: z.string(), url: z.string() })),
          failed: z.array(z.string()).describe('What did not answer, such as an engine that SearXNG asks.'),
          error: z.string().nullable(),
        })
        .meta({ id: 'SearchTestResult' }),
    },
  },
  errors: [400, 413],
  async handle({ principal, body }, { searchSettings }: Services) {
    const found = await searchSettings.test(principal, body.query);
    if ('error' in found) return { hits: [], failed: [], error: found.error };
    const hits = found.hits.map(({ title, url }) => ({ title, url }));
    return { hits, failed: [...found.failed], error: null };
  },
});

export const searchRoutes = [getSearch, putSearch, removeSearch, testSearch];

const renderSetting = (described: DescribedSearch): z.infer<typeof setting> =>
  renderAs(setting, described, {
    base_url: described.baseUrl,
    has_key: described.hasKey,
    language: described.language ?? null,
    country: described.country ?? null,
    only: [...described.only],
    not: [...described.not],
  });
