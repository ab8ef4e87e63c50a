import { expect, test } from 'vitest';
import { listRequest, readModelList } from './list-models.ts';

test('each provider is asked in its own way, and the key is in a header', () => {
  expect(listRequest({ provider: 'openai' }, 'k')).toMatchObject({
    url: 'https://api.openai.com/v1/models',
    headers: { authorization: 'Bearer k' },
  });
  expect(listRequest({ provider: 'anthropic' }, 'k')).toMatchObject({
    url: 'https://api.anthropic.com/v1/models?limit=1000',
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
  });
  expect(listRequest({ provider: 'google' }, 'k')).toMatchObject({
    url: 'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000',
    headers: { 'x-goog-api-key': 'k' },
  });
  const local = listRequest({ provider: 'openai-compatible', baseUrl: 'http://localhost:11434/v1/' }, undefined);
  expect(local.url).toBe('http://localhost:11434/v1/models');
  expect(Object.keys(local.headers)).not.toContain('authorization');
});

test('size and inputs are read from the fields that servers use', () => {
  const data = [
    { id: 'vllm', max_model_len: 32_768 },
    { id: 'router', context_length: 200_000, architecture: { input_modalities: ['text', 'image', 'file'] } },
    { id: 'mistral', max_context_length: 131_072, capabilities: { vision: false } },
    { id: 'plain' },
  ];
  expect(readModelList('openai-compatible', { data })).toEqual([
    { id: 'mistral', contextTokens: 131_072, reads: [] },
    { id: 'plain', contextTokens: null, reads: null },
    { id: 'router', contextTokens: 200_000, reads: ['image', 'pdf'] },
    { id: 'vllm', contextTokens: 32_768, reads: null },
  ]);
  const models = [
    { name: 'models/gemini-x', inputTokenLimit: 1_048_576, supportedGenerationMethods: ['generateContent'] },
    { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] },
  ];
  expect(readModelList('google', { models })).toEqual([{ id: 'gemini-x', contextTokens: 1_048_576, reads: null }]);
});

test('models that do not answer with text are left out', () => {
  const data = ['gpt-5', 'text-embedding-3-small', 'whisper-1', 'gpt-4o-realtime-preview'].map((id) => ({ id }));
  expect(readModelList('openai', { data })?.map(({ id }) => id)).toEqual(['gpt-5']);
});

test.each([null, 7, 'text', [], {}, { data: 'x' }, { data: {} }, { models: [] }])('%j is not a list', (answer) => {
  expect(readModelList('openai', answer)).toBeUndefined();
});

test('a hostile list is bounded, and entries that cannot be used are left out', () => {
  const hostile = [
    null,
    7,
    { id: 7 },
    { id: '' },
    { id: 'a b' },
    { id: 'a\nb' },
    { id: '\ud800' },
    { id: 'x'.repeat(257) },
    { id: '\u202egpt' },
    { id: 'odd', context_length: -1, architecture: { input_modalities: 'image' }, capabilities: 7 },
    { id: 'huge', context_length: 1e300 },
    { id: 'odd' },
    { id: '__proto__' },
  ];
  const many = Array.from({ length: 5000 }, (_, index) => ({ id: `m${index}` }));

  expect(readModelList('openai-compatible', { data: hostile })).toEqual([
    { id: '__proto__', contextTokens: null, reads: null },
    { id: 'huge', contextTokens: null, reads: null },
    { id: 'odd', contextTokens: null, reads: null },
  ]);
  expect(readModelList('openai-compatible', { data: many })).toHaveLength(1000);
});
