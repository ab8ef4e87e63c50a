import type { ModelRoute } from './model-route.ts';
import { findListing } from './price.ts';

/** How much a model can read, and the maximum length of a prompt, in tokens. */
export type ContextSize = { readonly windowTokens: number; readonly promptTokens: number };

/** The operator's setting, or the known size of the model, or a common default. */
export function contextSizeOf(route: ModelRoute): ContextSize {
  const windowTokens = route.contextTokens ?? findListing(route)?.contextTokens ?? usualSize(route);
  const forAnswer = Math.min(MOST_FOR_ANSWER, windowTokens / 8);
  // A window of a million tokens is meant for one long document, not for every turn of a long thread, which would cost a lot.
  const most = route.contextTokens ?? MOST_UNASKED;
  return { windowTokens, promptTokens: Math.floor(Math.min(windowTokens, most) - forAnswer) };
}

const MOST_FOR_ANSWER = 16_000;
const MOST_UNASKED = 200_000;

/** For models that the price catalogue lacks, or lists without their size. */
function usualSize({ provider, name }: ModelRoute): number {
  const family = FAMILIES.find((known) => known.provider === provider && known.name.test(name));
  return family?.tokens ?? 128_000;
}

const FAMILIES = [
  { provider: 'openai', name: /^gpt-4\.1/, tokens: 1_000_000 },
  { provider: 'openai', name: /^gpt-5/, tokens: 400_000 },
  { provider: 'openai', name: /^o\d/, tokens: 200_000 },
  { provider: 'anthropic', name: /^claude/, tokens: 200_000 },
  { provider: 'google', name: /^gemini/, tokens: 1_000_000 },
];
