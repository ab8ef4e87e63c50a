import { z } from 'zod';
import type { ProviderModel, ProviderModels } from '#agent/administration/provider-models.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { contextTokens, price, reads, renderPrice } from './model-fields.ts';

type Services = { readonly providerModels: ProviderModels };

const model = z
  .strictObject({
    provider: z.string().nullable().describe('The name of its provider; null for the demo model.'),
    name: z.string().describe('The name of the model at its provider.'),
    route: z.string().nullable().describe('What a message sends as `model`; null while it is off.'),
    on: z.boolean().describe('Whether people can choose it.'),
    default: z.boolean().describe('Whether it answers messages that name no other.'),
    context_tokens: z.int(),
    price: price.nullable().describe('null: the price is unknown.'),
    price_set: z.boolean().describe('Whether the operator has set the price.'),
    reads: reads.nullable().describe('What it reads besides text. null: unknown.'),
  })
  .meta({ id: 'ProviderModel' });

const listProviderModels = defineRoute({
  method: 'get',
  path: '/api/settings/models',
  summary: 'List all models of all providers, each once.',
  access: 'operator',
  responses: {
    200: {
      description: 'As the providers listed them last, and those that were added by name.',
      json: z.strictObject({ models: z.array(model) }).meta({ id: 'ProviderModelList' }),
    },
  },
  async handle({ principal }, { providerModels }: Services) {
    return { models: (await providerModels.list(principal)).map(renderModel) };
  },
});

const changeProviderModel = defineRoute({
  method: 'patch',
  path: '/api/settings/models',
  summary: 'Switch a model on or off, make it the default, or set what is known about it.',
  access: 'operator',
  body: z
    .object({
      provider: z.string().min(1),
      name: z
        .string()
        .trim()
        .min(1, 'name must be the name of a model.')
        .max(256)
        .describe('Its name at the provider.'),
      on: z.boolean().optional(),
      default: z.literal(true).optional().describe('It is switched on, and answers messages that name no other.'),
      price: price.nullish().describe('null: the known price.'),
      context_tokens: contextTokens.nullish().describe('null: the known size.'),
      reads: reads.nullish().describe('What it reads besides text. null: what is known.'),
    })
    .meta({ id: 'ProviderModelChange' }),
  responses: { 204: { description: 'It was changed.' } },
  errors: [400, 404, 413],
  async handle({ principal, body }, { providerModels }: Services) {
    const { provider, name, on, default: isDefault, price: set, context_tokens: size, reads: kinds } = body;
    await providerModels.change(principal, provider, name, {
      isOn: on,
      isDefault,
      price: set && { inputPerMillion: set.input_usd_per_million, outputPerMillion: set.output_usd_per_million },
      contextTokens: size,
      reads: kinds,
    });
  },
});

export const providerModelRoutes = [listProviderModels, changeProviderModel];

const renderModel = (each: ProviderModel): z.infer<typeof model> =>
  renderAs(model, each, {
    on: each.isOn,
    default: each.isDefault,
    price_set: each.isPriceSet,
    price: renderPrice(each.price),
  });
