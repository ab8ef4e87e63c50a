import { expect, test } from 'vitest';
import { PROVIDER_PRESETS, recommendedOf } from './provider-presets.ts';

test.each([
  ['openai', ['gpt-4o', 'gpt-5.5', 'gpt-6-luna', 'gpt-6-sol', 'gpt-6-sol-pro'], 'gpt-6-sol'],
  [
    'anthropic',
    ['claude-sonnet-4-20250514', 'claude-sonnet-4-5-20250929', 'claude-opus-5'],
    'claude-sonnet-4-5-20250929',
  ],
  ['google', ['gemini-2.5-flash', 'gemini-3.8-flash', 'gemini-3.8-flash-image'], 'gemini-3.8-flash'],
  ['xai', ['grok-4.20', 'grok-4.6', 'grok-4.6-fast'], 'grok-4.6'],
  ['deepseek', ['deepseek-chat', 'deepseek-v4-flash', 'deepseek-v4-pro'], 'deepseek-v4-flash'],
  ['groq', ['qwen/qwen3-32b', 'llama-3.1'], undefined],
  ['ollama', ['qwen3:32b'], 'qwen3:32b'],
  ['ollama', ['qwen3:32b', 'gemma3'], undefined],
  [undefined, [], undefined],
])('%s: of its models, one is recommended: %j', (name, ids, expected) => {
  const preset = PROVIDER_PRESETS.find((each) => each.name === name);
  expect(recommendedOf(preset, ids)).toBe(expected);
});
