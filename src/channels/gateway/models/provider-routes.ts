import { z } from 'zod';
import {
  type ListedProvider,
  type ModelProviders,
  PROVIDER_PRESETS,
  type ProviderPreset,
} from '#agent/administration/model-providers.ts';
import type { ProviderModels } from '#agent/administration/provider-models.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { apiKey, baseUrl } from '../access-fields.ts';

type Services = { readonly modelProviders: ModelProviders; readonly providerModels: ProviderModels };

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
    title: z.string().describe('The name that people know.'),
    check: z
      .strictObject({
        state: z
          .enum(['works', 'key_refused', 'unreachable', 'no_list'])
          .describe('`no_list`: it answers, but lists no models, so they are added by name.'),
        models: z.int().describe('How many models it lists.'),
        problem: z.string().nullable(),
        checked_at: z.iso.datetime(),
      })
      .nullable()
      .describe('What it answered when it was asked for its models last; null before the first time.'),
  })
  .meta({ id: 'ModelProvider' });

const preset = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    base_url: z.string().describe('A part in capitals, such as RESOURCE, is for the operator to replace.'),
    fixed: z.boolean().describe('Whether the address is the same for everyone, and can be left out.'),
    needs_key: z.boolean(),
    key_page: z.string().nullable().describe('Where a person gets a key.'),
  })
  .meta({ id: 'ModelProviderPreset' });

const providerList = z.strictObject({ providers: z.array(provider) }).meta({ id: 'ModelProviderList' });

const listProviders = defineRoute({
  method: 'get',
  path: '/api/settings/providers',
  summary: 'List the providers of models that are in use, without their keys, and those that can be added.',
  access: 'operator',
  responses: {
    200: {
      description: 'The providers.',
      json: providerList.extend({ presets: z.array(preset) }).meta({ id: 'ModelProviders' }),
    },
  },
  async handle({ principal }, { modelProviders }: Services) {
    const providers = await modelProviders.list(principal);
    return { providers: providers.map(renderProvider), presets: PROVIDER_PRESETS.map(renderPreset) };
  },
});

const putProvider = defineRoute({
  method: 'put',
  path: '/api/settings/providers/{name}',
  summary: 'Try the key of a provider, and store it. Its models are listed, and the recommended one is switched on.',
  access: 'operator',
  params,
  body: z
    .strictObject({
      base_url: baseUrl.describe('Required unless the name is that of a preset with a fixed address.'),
      api_key: apiKey.describe(
        'Encrypted, and never shown again. Without it, a stored key stays unless the address changes.',
      ),
    })
    .meta({ id: 'ModelProviderChange' }),
  responses: { 200: { description: 'All providers after the change.', json: providerList } },
  errors: [400, 413],
  async handle({ principal, params: { name }, body }, { providerModels, modelProviders }: Services) {
    await providerModels.addProvider(principal, name, {
      baseUrl: body.base_url ?? undefined,
      apiKey: body.api_key ?? undefined,
    });
    return { providers: (await modelProviders.list(principal)).map(renderProvider) };
  },
});

const removeProvider = defineRoute({
  method: 'delete',
  path: '/api/settings/providers/{name}',
  summary: 'Remove a stored provider with its key and its models.',
  access: 'operator',
  params,
  responses: { 204: { description: 'It was removed.' } },
  errors: [404],
  async handle({ principal, params: { name } }, { providerModels }: Services) {
    await providerModels.removeProvider(principal, name);
  },
});

const checkProvider = defineRoute({
  method: 'post',
  path: '/api/settings/providers/{name}/check',
  summary: 'Ask a provider again for its models, with its key.',
  access: 'operator',
  params,
  responses: { 200: { description: 'The provider, with its answer.', json: provider } },
  errors: [404],
  async handle({ principal, params: { name } }, { modelProviders }: Services) {
    return renderProvider(await modelProviders.check(principal, name));
  },
});

export const providerRoutes = [listProviders, putProvider, removeProvider, checkProvider];

const renderProvider = (each: ListedProvider): z.infer<typeof provider> =>
  renderAs(provider, each, {
    kind: each.provider,
    base_url: each.baseUrl ?? null,
    stored: each.isStored,
    check: each.check && {
      state: each.check.state,
      models: each.check.models.length,
      problem: each.check.problem,
      checked_at: each.check.checkedAt.toISOString(),
    },
  });

const renderPreset = (each: ProviderPreset): z.infer<typeof preset> =>
  renderAs(preset, each, { base_url: each.baseUrl, fixed: each.isFixed });
