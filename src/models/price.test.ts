import { expect, test } from 'vitest';
import type { ModelRoute } from './model-route.ts';
import { createPricing, type PricedTokens } from './price.ts';

const tokens = { inputTokens: 1000, cachedInputTokens: 400, cacheWriteTokens: 0, outputTokens: 100 };

const priceOf = (route: ModelRoute, used: PricedTokens) => createPricing(route)(used);

test('cached tokens have their own price', () => {
  const cost = priceOf({ provider: 'openai', name: 'gpt-4o' }, tokens);

  expect(cost?.inputUsd).toBeCloseTo((600 * 2.5 + 400 * 1.25) / 1e6, 12);
  expect(cost?.outputUsd).toBeCloseTo((100 * 10) / 1e6, 12);
});

test('tokens written to the cache have their own price', () => {
  const cost = priceOf({ provider: 'anthropic', name: 'claude-sonnet-4-5' }, { ...tokens, cacheWriteTokens: 100 });

  expect(cost?.inputUsd).toBeCloseTo((500 * 3 + 400 * 0.3 + 100 * 3.75) / 1e6, 12);
});

test.each<ModelRoute>([
  { provider: 'openai', name: 'a-model-of-tomorrow' },
  { provider: 'anthropic', name: 'gpt-4o' },
  { provider: 'openai', name: 'text-embedding-3-small' },
  { provider: 'openai-compatible', name: 'llama3.2:3b', baseUrl: 'http://localhost:11434/v1' },
  { provider: 'openai', name: 'constructor' },
])('an unknown price is null, never 0: $name', (route) => {
  expect(priceOf(route, tokens)).toBeNull();
});

test('an openai-compatible server is priced by its address, or else by the name of its model', () => {
  const model: ModelRoute = { provider: 'openai-compatible', name: 'deepseek-chat' };

  expect(priceOf(model, tokens)?.inputUsd).toBeGreaterThan(0);
  expect(priceOf({ ...model, baseUrl: 'https://api.deepseek.com' }, tokens)?.inputUsd).toBeGreaterThan(0);
  expect(priceOf({ ...model, name: 'unheard-of', baseUrl: 'https://api.deepseek.com' }, tokens)).toBeNull();
});

test('a price that the operator has set wins, also for tokens of the cache', () => {
  const price = { inputPerMillion: 2, outputPerMillion: 8 };

  expect(priceOf({ provider: 'openai-compatible', name: 'own', price }, tokens)).toEqual({
    inputUsd: 0.002,
    outputUsd: 0.0008,
  });
  expect(priceOf({ provider: 'openai', name: 'gpt-4o', price }, tokens)?.inputUsd).toBe(0.002);
});

test('a server that counts more cached tokens than input is still priced', () => {
  const odd = { ...tokens, cachedInputTokens: 5000, cacheWriteTokens: 5000 };

  expect(priceOf({ provider: 'openai', name: 'gpt-4o' }, odd)?.inputUsd).toBeCloseTo((1000 * 1.25) / 1e6, 12);
});

test('the demo model costs exactly nothing', () => {
  expect(priceOf({ provider: 'demo', name: 'demo' }, tokens)).toEqual({ inputUsd: 0, outputUsd: 0 });
});

test('every call of a route has the same price', () => {
  const price = createPricing({ provider: 'openai', name: 'gpt-4o' });
  const [first, second] = [price(tokens), price({ ...tokens, outputTokens: 200 })];

  expect(second?.inputUsd).toBe(first?.inputUsd);
  expect(second?.outputUsd).toBeCloseTo(2 * (first?.outputUsd ?? 0), 12);
});
