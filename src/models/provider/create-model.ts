import type { Cost, Usage } from '#domain/usage.ts';
import { baseUrlOf } from '../bound-keys.ts';
import { contextSizeOf } from '../context-size.ts';
import { createDemoModel } from '../demo/demo-model.ts';
import { readsOf } from '../describe-model.ts';
import { type Model, ModelFailure } from '../model.ts';
import { isPublicProvider, KEY_VARIABLES, type ModelProvider, type ModelRoute } from '../model-route.ts';
import { createPricing, type PricedTokens } from '../price.ts';
import { presetOf } from '../provider-presets.ts';
import { askProvider, type ProviderModel, type TokenCounts } from './ask-provider.ts';
import { readLanguage } from './read-parts.ts';
import type { KnownModel } from './to-model-failure.ts';

/** The model of a route. Never throws: an incomplete route fails when it is used. */
export function createModel(route: ModelRoute): Model {
  const { provider } = route;
  if (provider === 'demo') return createDemoModel();

  const lack = lackOf(route);
  if (lack) return createUnconfiguredModel(route, lack);

  const reads = readsOf(route);
  const price = createPricing(route);
  const usageOf = (tokens: TokenCounts) => toUsage(tokens, price);
  let loading: Promise<ProviderModel> | undefined;
  const load = async () => ({
    ...(await loadProvider(route, provider)),
    name: route.name,
    known: knownModel(route),
    reads,
    usageOf,
  });
  return {
    provider: route.provider,
    name: route.name,
    contextSize: contextSizeOf(route),
    reads,
    ask: async (prompt, onText, signal, onReasoning) =>
      askProvider(await (loading ??= load()), prompt, onText, signal, onReasoning),
  };
}

/** A provider that many people use has a name, any other server its host. */
function knownModel(route: ModelRoute): KnownModel {
  const { host } = new URL(baseUrlOf(route) ?? '');
  return { provider: presetOf({ ...route, name: '' })?.title ?? host, host, name: route.name };
}

/** What must be set before this route can be used, as a sentence; null when nothing is missing. */
function lackOf(route: ModelRoute): string | null {
  if (!route.name) return `No model is set for ${route.provider}. Set LLM_MODEL.`;
  if (route.provider === 'openai-compatible' && !route.baseUrl)
    return 'The openai-compatible provider needs an address. Set LLM_BASE_URL.';
  if (route.baseUrl && !/^https?:$/.test(URL.parse(route.baseUrl)?.protocol ?? ''))
    return 'The base URL of the model is not an http address. Fix LLM_BASE_URL.';
  if (route.provider !== 'openai-compatible' && !route.apiKey)
    return `There is no key for ${route.provider}. Add it under Models in the browser, or set ${keyVariable(route.provider)}.`;
  return null;
}

/** LLM_API_KEY belongs to the provider of LLM_PROVIDER; the usual variable works for any route. */
const keyVariable = (provider: ModelProvider) => (isPublicProvider(provider) ? KEY_VARIABLES[provider] : 'LLM_API_KEY');

function createUnconfiguredModel(route: ModelRoute, lack: string): Model {
  return {
    provider: route.provider,
    name: route.name,
    contextSize: contextSizeOf(route),
    ask: async () => {
      throw new ModelFailure('model_not_configured', lack, { remedy: 'ask-another' });
    },
  };
}

/**
 * A provider library is loaded when it is first used. Every address and key is set explicitly: the library would otherwise
 * read the environment itself.
 */
async function loadProvider(
  route: ModelRoute,
  provider: Exclude<ModelProvider, 'demo'>,
): Promise<Omit<ProviderModel, 'name' | 'known' | 'reads' | 'usageOf'>> {
  const apiKey = route.apiKey ?? '';
  const baseURL = baseUrlOf(route) ?? '';
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const openai = createOpenAI({ apiKey, baseURL });
      return {
        provider,
        apiKey,
        read: readLanguage(openai.responses(route.name)),
        options: { openai: { store: false } },
      };
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const anthropic = createAnthropic({ apiKey, baseURL });
      // Anthropic does not check streamed arguments, and servers that implement its API refuse the field that requests them.
      return {
        provider,
        apiKey,
        read: readLanguage(anthropic(route.name)),
        options: { anthropic: { toolStreaming: false } },
      };
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return { provider, apiKey, read: readLanguage(createGoogle({ apiKey, baseURL })(route.name)), options: {} };
    }
    case 'openai-compatible': {
      const { readCompatible } = await import('./compatible-stream.ts');
      return { provider, apiKey, read: readCompatible(route), options: {} };
    }
  }
}

function toUsage(tokens: TokenCounts, price: (tokens: PricedTokens) => Cost | null): Usage {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = tokens;
  const isCounted = inputTokens !== undefined && outputTokens !== undefined;
  return {
    inputTokens: inputTokens ?? 0,
    cachedInputTokens,
    outputTokens: outputTokens ?? 0,
    reasoningTokens,
    cost: isCounted ? price({ inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens }) : null,
  };
}
