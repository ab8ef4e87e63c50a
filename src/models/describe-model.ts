import { contextSizeOf } from './context-size.ts';
import type { ModelPrice, ModelRoute } from './model-route.ts';
import { createPricing } from './price.ts';

/** What a person wants to know before choosing a model. */
export type ModelDescription = {
  readonly contextTokens: number;
  /** null when the price is unknown. */
  readonly price: ModelPrice | null;
  /** What it can read besides text; null when that is unknown. */
  readonly reads: readonly ModelInput[] | null;
};

export type ModelInput = 'image' | 'pdf';

export function describeModel(route: ModelRoute): ModelDescription {
  return { contextTokens: contextSizeOf(route).windowTokens, price: priceOf(route), reads: readsOf(route) };
}

/** Asked for a short prompt, because some models charge more for long ones. */
const SAMPLE = 1000;

function priceOf(route: ModelRoute): ModelDescription['price'] {
  const tokens = { inputTokens: SAMPLE, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: SAMPLE };
  const cost = createPricing(route)(tokens);
  const perMillion = (usd: number) => Number(((usd * 1_000_000) / SAMPLE).toPrecision(12));
  return cost && { inputPerMillion: perMillion(cost.inputUsd), outputPerMillion: perMillion(cost.outputUsd) };
}

export function readsOf({ provider, name, reads }: ModelRoute): readonly ModelInput[] | null {
  if (reads) return reads;
  if (provider === 'demo') return [];
  if (provider === 'openai-compatible') return null;
  return TEXT_ONLY.test(name) ? [] : ['image', 'pdf'];
}

/** The models of the large providers that read nothing but text. */
const TEXT_ONLY = /^(gpt-3|gpt-4$|gpt-4-\d|o1-mini|o1-preview|o3-mini|claude-(2|instant)|text-|gemma)/;
