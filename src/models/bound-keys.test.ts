import { expect, test } from 'vitest';
import { createKeyLookup } from './bound-keys.ts';

const apiKeys = { openai: 'o', anthropic: 'a', 'openai-compatible': 'c' };
const official = createKeyLookup({ provider: 'openai', baseUrl: undefined, apiKeys });
const proxied = createKeyLookup({ provider: 'openai', baseUrl: 'https://proxy.example.com/v1', apiKeys });
const local = createKeyLookup({ provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:9000/v1', apiKeys });

test.each([
  [official, 'openai', undefined, 'o'],
  [official, 'openai', 'https://api.openai.com/v1', 'o'],
  [official, 'anthropic', undefined, 'a'],
  [proxied, 'openai', 'https://proxy.example.com/v1', 'o'],
  [local, 'openai-compatible', 'http://127.0.0.1:9000/other', 'c'],
] as const)('a key is sent to the address it was configured for', (keyFor, provider, baseUrl, key) => {
  expect(keyFor({ provider, baseUrl })).toBe(key);
});

test.each([
  [official, 'openai', 'https://evil.example.com/v1'],
  [official, 'openai', 'http://api.openai.com/v1'],
  [official, 'openai', 'https://api.openai.com:8443/v1'],
  [official, 'openai', 'https://api.openai.com@evil.example.com/v1'],
  [official, 'anthropic', 'https://api.openai.com/v1'],
  [proxied, 'openai', undefined],
  [local, 'openai-compatible', 'http://127.0.0.1:9001/v1'],
] as const)('a key is sent to no other address', (keyFor, provider, baseUrl) => {
  expect(keyFor({ provider, baseUrl })).toBeUndefined();
});
