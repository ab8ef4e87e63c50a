import { expect, test } from 'vitest';
import { EmbeddingFailure } from '#domain/embedder.ts';
import { createEmbedder } from './create-embedder.ts';
import { type EmbeddingRoute, findEmbeddingRoute } from './embedding-route.ts';
import { serveWire, type WireAnswer } from './provider/recorded-wire.test-support.ts';

const openai = { data: [{ embedding: [1, 2] }, { embedding: [3, 4] }], usage: { prompt_tokens: 1, total_tokens: 1 } };
const google = { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] };
const signal = new AbortController().signal;

async function embed(provider: EmbeddingRoute['provider'], answer: WireAnswer | null, limit = signal) {
  await using server = await serveWire(answer);
  const embedder = createEmbedder({ provider, name: 'e', apiKey: 'key-1234', baseUrl: server.baseUrl });
  return { vectors: await embedder.embed(['a', 'b'], limit), requests: server.requests, model: embedder.model };
}

test.each([
  ['openai', openai],
  ['openai-compatible', openai],
  ['google', google],
] as const)('%s returns a vector for each text', async (provider, body) => {
  const { vectors, requests, model } = await embed(provider, { body });

  expect(vectors).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(model).toBe(`${provider}/e`);
  expect(requests).toHaveLength(1);
  expect(JSON.stringify(requests[0]?.headers)).toContain('key-1234');
});

test.each([
  [400, true],
  [413, true],
  [422, true],
  [401, false],
  [404, false],
  [429, false],
  [500, false],
])('status %i means that the texts were refused: %s', async (status, refused) => {
  const failing = embed('openai', { status, body: { error: { message: 'No, key-1234.' } } });

  await expect(failing).rejects.toMatchObject({
    name: 'EmbeddingFailure',
    refused,
    message: expect.not.stringContaining('key-1234'),
  });
});

test('missing or invalid vectors are a failure', async () => {
  for (const data of [[{ embedding: [1] }], [{ embedding: [1] }, { embedding: [] }]])
    await expect(embed('openai', { body: { ...openai, data } })).rejects.toThrow(EmbeddingFailure);
});

test('a model that does not answer is given up when the signal aborts', async () => {
  await expect(embed('openai', null, AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
});

test("the embedding model uses the chat model's provider, or else one that has a key", () => {
  const keys = { openai: 'o', google: 'g', anthropic: 'a' };
  const routeFor = (provider: 'google' | 'anthropic' | 'demo', apiKeys: object) =>
    findEmbeddingRoute({ provider, baseUrl: 'http://x', apiKeys }, 'e');

  expect(routeFor('google', keys)).toEqual({ provider: 'google', name: 'e', baseUrl: 'http://x', apiKey: 'g' });
  expect(routeFor('anthropic', keys)).toEqual({ provider: 'openai', name: 'e', apiKey: 'o' });
  expect(routeFor('demo', { google: 'g' })).toEqual({ provider: 'google', name: 'e', apiKey: 'g' });
  expect(routeFor('anthropic', { anthropic: 'a' })).toBeUndefined();
});
