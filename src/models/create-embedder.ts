import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, type EmbeddingModelV4 } from '@ai-sdk/provider';
import { type Embedder, EmbeddingFailure } from '#domain/embedder.ts';
import type { EmbeddingProvider, EmbeddingRoute } from './embedding-route.ts';
import { messageFor } from './provider/to-model-failure.ts';

/** The embedding model of a route. */
export function createEmbedder(route: EmbeddingRoute): Embedder {
  const model = toProviderModel[route.provider](route);
  return {
    model: `${route.provider}/${route.name}`,
    embed: async (texts, signal, onTokens) => {
      const { embeddings: vectors, usage } = await ask(model, texts, signal, route.apiKey ?? '');
      if (vectors.length !== texts.length || vectors.some((vector) => !isVector(vector)))
        throw new EmbeddingFailure(false, 'The embedding model returned no vector for some of the texts.');
      if (usage) onTokens?.(usage.tokens);
      return vectors;
    },
  };
}

async function ask(
  model: EmbeddingModelV4,
  texts: readonly string[],
  abortSignal: AbortSignal,
  apiKey: string,
): Promise<Awaited<ReturnType<EmbeddingModelV4['doEmbed']>>> {
  try {
    abortSignal.throwIfAborted();
    return await model.doEmbed({ values: [...texts], abortSignal });
  } catch (error) {
    abortSignal.throwIfAborted();
    const refused = APICallError.isInstance(error) && REFUSED.has(error.statusCode ?? 0);
    throw new EmbeddingFailure(refused, messageFor(error, apiKey), { cause: error });
  }
}

/** Statuses that mean the provider can't handle a text, as opposed to a problem with the key or the service. */
const REFUSED = new Set([400, 413, 422]);

const isVector = (vector: unknown) =>
  Array.isArray(vector) && vector.length > 0 && vector.every((value) => Number.isFinite(value));

/** Every address and key is set explicitly: the provider libraries would otherwise read the environment themselves. */
const toProviderModel: Record<EmbeddingProvider, (route: EmbeddingRoute) => EmbeddingModelV4> = {
  openai: ({ name, apiKey = '', baseUrl }) =>
    createOpenAI({ apiKey, baseURL: baseUrl || 'https://api.openai.com/v1' }).embeddingModel(name),
  google: ({ name, apiKey = '', baseUrl }) =>
    createGoogle({ apiKey, baseURL: baseUrl || 'https://generativelanguage.googleapis.com/v1beta' }).embeddingModel(
      name,
    ),
  'openai-compatible': ({ name, apiKey = '', baseUrl = '' }) =>
    createOpenAICompatible({ name: 'compatible', apiKey, baseURL: baseUrl }).embeddingModel(name),
};
