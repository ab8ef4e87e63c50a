import { expect, test } from 'vitest';
import { text } from '#domain/thread/item.ts';
import type { Prompt } from './model.ts';
import type { ModelRoute } from './model-route.ts';
import { createModels, modelRoutesSchema } from './model-routes.ts';
import { serveWire, wires } from './provider/recorded-wire.test-support.ts';

const demo: ModelRoute = { provider: 'demo', name: 'demo' };
const hello: Prompt = {
  system: '',
  messages: [{ role: 'user', content: [text('Hello')] }],
  tools: [],
  temperature: null,
};

test('the hint selects the route with that name; any other hint, or none, selects the default', async () => {
  const models = modelsWith({ default: demo, routes: { fast: { provider: 'openai', name: 'gpt-5-mini' } } });

  expect(await models.find('fast')).toMatchObject([{ provider: 'openai', name: 'gpt-5-mini' }]);
  for (const hint of ['gpt-4o', 'constructor', '', null])
    expect(await models.find(hint)).toMatchObject([{ provider: 'demo' }]);
});

test('a route keeps its model until its value changes', async () => {
  const routes: Record<string, ModelRoute> = { fast: { provider: 'openai', name: 'gpt-5-mini' } };
  const models = modelsWith({ default: demo, routes });
  const [before] = await models.find('fast');

  expect((await models.find('fast'))[0]).toBe(before);
  routes['fast'] = { provider: 'google', name: 'gemini-2.5-flash' };
  expect(await models.find('fast')).toMatchObject([{ provider: 'google' }]);
});

test('a route gets the key of its provider', async () => {
  await using server = await serveWire({ body: wires.openai.says(['Hi']) });
  const models = modelsWith({ default: { provider: 'openai', name: 'gpt-4o', baseUrl: server.baseUrl }, routes: {} });

  await (await models.find(null))[0].ask(hello, () => {}, new AbortController().signal);

  expect(server.requests[0]?.headers.authorization).toBe('Bearer key for openai');
});

test('a default route without a key is found, and fails when it is used', async () => {
  const models = createModels({
    default: async () => ({ provider: 'anthropic', name: 'claude-sonnet-4-5' }),
    routes: async () => ({}),
    apiKeyFor: async () => undefined,
  });
  const [model] = await models.find(null);

  await expect(model.ask(hello, () => {}, new AbortController().signal)).rejects.toMatchObject({
    code: 'model_not_configured',
    message: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
});

test('the route that the operator has chosen answers requests that name no route', async () => {
  const routes: Record<string, ModelRoute> = { fast: { provider: 'openai', name: 'gpt-5-mini' } };
  const chosen = (name: string | null) =>
    createModels({
      default: async () => demo,
      routes: async () => routes,
      defaultRoute: async () => name,
      apiKeyFor: async () => 'k',
    });

  expect((await chosen('fast').find(null))[0].name).toBe('gpt-5-mini');
  expect((await chosen('fast').find('another'))[0].name).toBe('gpt-5-mini');
  expect((await chosen('gone').find(null))[0].provider).toBe('demo');
  expect((await chosen(null).find('fast'))[0].name).toBe('gpt-5-mini');
});

test('the fallbacks of a route follow its model, in order; a removed route fails with a message when it is used', async () => {
  const fast: ModelRoute = { provider: 'openai', name: 'gpt-5-mini', fallback: ['slow', 'gone', 'default'] };
  const slow: ModelRoute = { provider: 'google', name: 'gemini-2.5-flash', fallback: ['fast'] };
  const models = modelsWith({ default: { ...demo, fallback: ['slow'] }, routes: { fast, slow } });

  const chain = await models.find('fast');
  expect(chain.map(({ provider, name }) => `${provider} ${name}`)).toEqual([
    'openai gpt-5-mini',
    'google gemini-2.5-flash',
    'demo gone',
    'demo demo',
  ]);
  await expect(chain[2]?.ask(hello, () => {}, new AbortController().signal)).rejects.toMatchObject({
    code: 'model_not_configured',
    message: expect.stringContaining('"gone" does not exist'),
  });
  expect((await models.find(null)).map(({ provider }) => provider)).toEqual(['demo', 'google']);
});

test('a model without its own fallbacks is followed by those of the installation, in their order', async () => {
  const fast: ModelRoute = { provider: 'openai', name: 'gpt-5-mini' };
  const slow: ModelRoute = { provider: 'google', name: 'gemini-2.5-flash', fallback: ['default'] };
  const models = modelsWith({ default: demo, routes: { fast, slow }, fallbacks: ['slow', 'fast'] });
  const namesAfter = async (hint: string | null) => (await models.find(hint)).map(({ name }) => name);

  expect(await namesAfter(null)).toEqual(['demo', 'gemini-2.5-flash', 'gpt-5-mini']);
  expect(await namesAfter('fast')).toEqual(['gpt-5-mini', 'gemini-2.5-flash']);
  expect(await namesAfter('slow')).toEqual(['gemini-2.5-flash', 'demo']);
});

test('a model whose price changes is priced again', async () => {
  const routes: Record<string, ModelRoute> = {
    own: { provider: 'openai-compatible', name: 'own', baseUrl: 'http://h' },
  };
  const models = modelsWith({ default: demo, routes });
  const [before] = await models.find('own');

  routes['own'] = { ...routes['own'], price: { inputPerMillion: 1, outputPerMillion: 2 } } as ModelRoute;
  expect((await models.find('own'))[0]).not.toBe(before);
});

test('stored routes are read', () => {
  const stored = {
    fast: { provider: 'openai', name: 'gpt-5-mini' },
    local: { provider: 'openai-compatible', name: 'qwen3', baseUrl: 'http://localhost:11434/v1' },
  };

  expect(modelRoutesSchema.parse(stored)).toEqual(stored);
});

test.each([
  [
    { fast: { provider: 'openai', name: 'm', url: 'x' } },
    'unknown key url: a route has provider, name, baseUrl, contextTokens, reads and fallback',
  ],
  [{ fast: { provider: 'openai', name: 'm', apiKey: 'x' } }, 'keys are not kept in settings'],
  [{ fast: { provider: 'opnai', name: 'm' } }, 'provider must be one of openai, anthropic, google'],
  [{ fast: { provider: 'openai' } }, 'name must be the name of a model'],
  [{ fast: { provider: 'openai', name: 'm', baseUrl: 'ftp://x' } }, 'baseUrl must be an http or https address'],
  [{ fast: { provider: 'openai-compatible', name: 'm' } }, 'an openai-compatible route needs a baseUrl'],
])('the error for an invalid stored route says what is wrong: %j', (stored, message) => {
  expect(
    modelRoutesSchema
      .safeParse(stored)
      .error?.issues.map((issue) => issue.message)
      .join(),
  ).toContain(message);
});

function modelsWith({
  default: configured,
  routes,
  fallbacks = [],
}: {
  default: ModelRoute;
  routes: Readonly<Record<string, ModelRoute>>;
  fallbacks?: readonly string[];
}) {
  return createModels({
    default: async () => configured,
    fallbacks: async () => fallbacks,
    routes: async () => routes,
    apiKeyFor: async ({ provider }) => `key for ${provider}`,
  });
}
