import { z } from 'zod';
import type { ListedProvider, ModelProviders } from '#agent/administration/model-providers.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { apiKey, baseUrl } from '../access-fields.ts';

type Services = { readonly modelProviders: ModelProviders };

const params = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'A name has up to 40 small letters, digits and dashes.'),
});

const provider = z
  .strictObject({
    name: z.string(),
    kind: z.enum(['openai', 'anthropic', 'google', 'openai-compatible', 'demo']),
    base_url: z.string().nullable(),
    key_source: z
      .enum(['environment', 'stored'])
      .nullable()
      .describe('`environment` is used before `stored`; null: the key is missing.'),
    variable: z.string().nullable().describe('The environment variable for its key.'),
    stored: z.boolean().describe('Whether it was added here, and can be removed.'),
  })
  .meta({ id: 'ModelProvider' });

const providerList = z.strictObject({ providers: z.array(provider) }).meta({ id: 'ModelProviderList' });

const listProviders = defineRoute({
  method: 'get',
  path: '/api/settings/providers',
  summary: 'List the providers of models, without their keys.',
  access: 'operator',
  responses: { 200: { description: 'The providers.', json: providerList } },
  async handle({ principal }, { modelProviders }: Services) {
    return { providers: (await modelProviders.list(principal)).map(renderProvider) };
  },
});

const putProvider = defineRoute({
  method: 'put',
  path: '/api/settings/providers/{name}',
  summary: 'Store the key of a provider, or add a server with the API of OpenAI.',
  access: 'operator',
  params,
  body: z
    .strictObject({
      base_url: baseUrl.describe('Required unless the name is openai, anthropic or google.'),
      api_key: apiKey.describe(
        'Encrypted, and never shown again. Without it, a stored key stays unless the address changes.',
      ),
    })
    .meta({ id: 'ModelProviderChange' }),
  responses: { 200: { description: 'All providers after the change.', json: providerList } },
  errors: [400, 413],
  async handle({ principal, params: { name }, body }, { modelProviders }: Services) {
    await modelProviders.put(principal, name, {
      baseUrl: body.base_url ?? undefined,
      apiKey: body.api_key ?? undefined,
    });
    return { providers: (await modelProviders.list(principal)).map(renderProvider) };
  },
});

const removeProvider = defineRoute({
  method: 'delete',
  path: '/api/settings/providers/{name}',
  summary: 'Remove a stored provider with its key.',
  access: 'operator',
  params,
  responses: { 204: { description: 'It was removed.' } },
  errors: [404],
  async handle({ principal, params: { name } }, { modelProviders }: Services) {
    await modelProviders.remove(principal, name);
  },
});

const providerModel = z.strictObject({
  id: z.string(),
  context_tokens: z.int().nullable(),
  reads: z.array(z.enum(['image', 'pdf'])).nullable(),
});

const listProviderModels = defineRoute({
  method: 'get',
  path: '/api/settings/providers/{name}/models',
  summary: 'Ask a provider which models it offers.',
  access: 'operator',
  params,
  responses: {
    200: {
      description: 'Up to 1000 models, by name.',
      json: z
        .strictObject({
          models: z.array(providerModel),
        })
        .meta({ id: 'ProviderModelList' }),
    },
  },
  errors: [400, 404],
  async handle({ principal, params: { name } }, { modelProviders }: Services) {
    const models = await modelProviders.listModels(principal, name);
    return { models: models.map((model) => renderAs(providerModel, model)) };
  },
});

export const providerRoutes = [listProviders, putProvider, removeProvider, listProviderModels];

const renderProvider = (each: ListedProvider): z.infer<typeof provider> =>
  renderAs(provider, each, { kind: each.provider, base_url: each.baseUrl ?? null, stored: each.isStored });
