import { expect, test } from 'vitest';
import { contextSizeOf } from './context-size.ts';
import type { ModelRoute } from './model-route.ts';

test.each<[ModelRoute, number]>([
  [{ provider: 'openai', name: 'gpt-4o' }, 128_000],
  [{ provider: 'anthropic', name: 'claude-sonnet-4-5' }, 200_000],
  [{ provider: 'anthropic', name: 'claude-of-tomorrow' }, 200_000],
  [{ provider: 'google', name: 'gemini-of-tomorrow' }, 1_000_000],
  [{ provider: 'openai-compatible', name: 'llama3.2:3b', baseUrl: 'http://localhost:11434/v1' }, 128_000],
  [{ provider: 'openai', name: 'constructor' }, 128_000],
  [{ provider: 'openai', name: 'gpt-4o', contextTokens: 8000 }, 8000],
])('%o has a context of %i tokens', (route, tokens) => {
  expect(contextSizeOf(route).windowTokens).toBe(tokens);
});

test('a prompt leaves room for the answer', () => {
  expect(contextSizeOf({ provider: 'openai', name: 'gpt-4o' }).promptTokens).toBe(112_000);
  expect(contextSizeOf({ provider: 'openai', name: 'gpt-4o', contextTokens: 8000 }).promptTokens).toBe(7000);
});

test('a prompt fills a huge window only when the operator asks for it', () => {
  const huge: ModelRoute = { provider: 'google', name: 'gemini-2.0-flash' };

  expect(contextSizeOf(huge).promptTokens).toBe(184_000);
  expect(contextSizeOf({ ...huge, contextTokens: 900_000 }).promptTokens).toBe(884_000);
});
