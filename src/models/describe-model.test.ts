import { expect, test } from 'vitest';
import { describeModel } from './describe-model.ts';

test('a known model has its size, its price per million tokens, and what it reads', () => {
  const { contextTokens, price, reads } = describeModel({ provider: 'anthropic', name: 'claude-sonnet-4-5' });
  expect(contextTokens).toBeGreaterThanOrEqual(200_000);
  expect(price).toEqual({ inputPerMillion: 3, outputPerMillion: 15 });
  expect(reads).toEqual(['image', 'pdf']);
});

test('an unknown price is null, never 0, and so is what an unknown model reads', () => {
  const local = { provider: 'openai-compatible', name: 'of-our-own', baseUrl: 'http://localhost:1/v1' } as const;
  expect(describeModel(local)).toEqual({ contextTokens: 128_000, price: null, reads: null });
  expect(describeModel({ ...local, contextTokens: 8000, reads: ['image'] })).toEqual({
    contextTokens: 8000,
    price: null,
    reads: ['image'],
  });
});

test('text-only models read nothing else, and the demo model is free', () => {
  expect(describeModel({ provider: 'openai', name: 'gpt-3.5-turbo' }).reads).toEqual([]);
  expect(describeModel({ provider: 'demo', name: 'demo' })).toMatchObject({
    price: { inputPerMillion: 0, outputPerMillion: 0 },
    reads: [],
  });
});
