import { createModelProviders } from '#agent/administration/model-providers.ts';
import { createModelSettings, withPrice } from '#agent/administration/model-settings.ts';
import type { Embedder } from '#domain/embedder.ts';
import { createKeyLookup } from '#models/bound-keys.ts';
import { findEmbeddingRoute } from '#models/embedding-route.ts';
import { createModels } from '#models/model-routes.ts';
import type { Base } from './base.ts';

/** The models that answer and embed: the configured ones, and those that the operator adds while the service runs. */
export async function openModels(base: Base) {
  const { config, db, secrets, egress } = base;
  const settings = createModelSettings(db);
  const configuredKey = createKeyLookup(config.model);
  const modelProviders = createModelProviders({ db, secrets, egress, configured: config.model, configuredKey });
  const models = createModels({
    default: async () => withPrice(config.model, await settings.readPrices()),
    routes: settings.readRoutes,
    defaultRoute: settings.readDefaultRoute,
    fallbacks: settings.readFallbacks,
    apiKeyFor: modelProviders.apiKeyFor,
  });
  return { models, modelSettings: settings, modelProviders, embedder: await findEmbedder(base) };
}

async function findEmbedder({ config: { model, embeddingModel }, log }: Base): Promise<Embedder | undefined> {
  if (!embeddingModel) return undefined;
  const route = findEmbeddingRoute(model, embeddingModel);
  if (!route)
    log.warn(
      `EMBEDDING_MODEL is set, but ${model.provider} has no embedding models, so memory is searched by words only. Set OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY.`,
    );
  return route && (await import('#models/create-embedder.ts')).createEmbedder(route);
}
