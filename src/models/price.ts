import { calcPrice, findProvider, type Provider } from '@pydantic/genai-prices';
import type { Cost } from '#domain/usage.ts';
import type { ModelPrice, ModelRoute } from './model-route.ts';

export type PricedTokens = {
  /** All input tokens: read from the cache, written to it, and uncached. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
};

/** Prices the calls of a route; null when the price is unknown. The catalogue is searched once, at the first call. */
export function createPricing(route: ModelRoute): (tokens: PricedTokens) => Cost | null {
  if (route.provider === 'demo') return () => ({ inputUsd: 0, outputUsd: 0 });
  const { price } = route;
  if (price) return (tokens) => priceAsSet(price, tokens);
  let listing: Listing | null | undefined;
  return (tokens) => {
    if (listing === undefined) listing = findListing(route);
    return listing && priceByCatalogue(route, listing, tokens);
  };
}

/** Tokens of a cache cost the same as others. */
function priceAsSet({ inputPerMillion, outputPerMillion }: ModelPrice, tokens: PricedTokens): Cost {
  return {
    inputUsd: (tokens.inputTokens * inputPerMillion) / 1e6,
    outputUsd: (tokens.outputTokens * outputPerMillion) / 1e6,
  };
}

function priceByCatalogue(route: ModelRoute, { provider }: Listing, tokens: PricedTokens): Cost | null {
  // The catalogue throws when the parts exceed the total, as some servers report.
  const cacheRead = Math.min(tokens.cachedInputTokens, tokens.inputTokens);
  const cacheWrite = Math.min(tokens.cacheWriteTokens, tokens.inputTokens - cacheRead);
  const usage = {
    input_tokens: tokens.inputTokens,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    output_tokens: tokens.outputTokens,
  };
  const price = calcPrice(usage, route.name, { provider });
  // A model that is not sold by the token has no such price, and would come out as 0.
  if (price?.model_price['input_mtok'] === undefined || price.model_price['output_mtok'] === undefined) return null;
  return { inputUsd: price.input_price, outputUsd: price.output_price };
}

/** The catalogue's entry for a model, with only the provider that sells it. */
type Listing = { readonly provider: Provider; readonly contextTokens: number | undefined };

const listings = new Map<string, Listing | null>();
const MOST_LISTINGS = 5000;

/** Remembered, because a search takes up to a millisecond, and the page of models asks for hundreds. */
export function findListing(route: ModelRoute): Listing | null {
  const key = JSON.stringify([route.provider, route.baseUrl, route.name]);
  const known = listings.get(key);
  if (known !== undefined) return known;
  const found = searchCatalogue(route);
  if (listings.size < MOST_LISTINGS) listings.set(key, found);
  return found;
}

function searchCatalogue(route: ModelRoute): Listing | null {
  const listed = calcPrice({ input_tokens: 1, output_tokens: 1 }, route.name, sellerOf(route));
  if (!listed) return null;
  const { provider, model } = listed;
  return { provider: { ...provider, models: [model] }, contextTokens: model.context_window };
}

/** An openai-compatible server is identified by its address, or else by the model's name. */
function sellerOf(route: ModelRoute): { providerId?: string } {
  if (route.provider !== 'openai-compatible') return { providerId: route.provider };
  if (route.baseUrl && BEDROCK.test(route.baseUrl)) return { providerId: 'aws' };
  const seller = route.baseUrl ? findProvider({ providerApiUrl: route.baseUrl }) : undefined;
  return seller ? { providerId: seller.id } : {};
}

/** The catalogue knows only another address of it. */
const BEDROCK = /^https:\/\/bedrock-mantle\.[a-z\d-]+\.api\.aws\b/;
