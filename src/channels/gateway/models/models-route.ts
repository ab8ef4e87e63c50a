import { z } from 'zod';
import type { ModelCatalog, OfferedModel } from '#agent/administration/model-catalog.ts';
import type { UserPreferences } from '#agent/preferences.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { price, reads, renderPrice } from './model-fields.ts';

type Services = { readonly modelCatalog: ModelCatalog; readonly preferences: UserPreferences };

const offered = z
  .strictObject({
    id: z.string().describe('What a message sends as `model`. `default` is the default model of the installation.'),
    provider: z.string(),
    name: z.string().describe('The name of the model at its provider.'),
    context_tokens: z.int().describe('The size of its context window.'),
    route: z
      .string()
      .nullable()
      .describe('The model route that it is, also for `default`; null for a default of the environment.'),
    price: price.nullable().describe('null: the price is unknown.'),
    reads: reads.nullable().describe('What it reads besides text. null: unknown.'),
    problem: z.string().nullable().describe('Why it cannot answer, and what to do.'),
  })
  .meta({ id: 'OfferedModel' });

export const modelsRoute = defineRoute({
  method: 'get',
  path: '/api/models',
  summary: 'List the models that a message can name.',
  responses: {
    200: {
      description: 'The default model first. No model is listed twice.',
      json: z
        .strictObject({
          models: z.array(offered),
          chosen: z.string().nullable().describe("The caller's default for new threads."),
        })
        .meta({ id: 'OfferedModelList' }),
    },
  },
  async handle({ principal }, { modelCatalog, preferences }: Services) {
    const [models, { defaultModel }] = await Promise.all([modelCatalog.list(), preferences.read(principal)]);
    return { models: models.map(renderModel), chosen: defaultModel };
  },
});

const renderModel = (model: OfferedModel): z.infer<typeof offered> =>
  renderAs(offered, model, { price: renderPrice(model.price) });
