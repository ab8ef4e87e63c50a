import { expect } from 'vitest';
import { PROVIDER_PRESETS } from '#models/provider-presets.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { startScriptedModel } from '../../support/scripted-model.ts';
import type { Service } from '../../support/service.ts';
import { type Answer, startStandIn } from '../../support/stand-in.ts';

const KEY = 'sk-stored-in-the-browser';

const test = journey()
  .extend('fast', { scope: 'file' }, async ({}, { onCleanup }) => {
    const model = await startScriptedModel();
    onCleanup(() => model.close());
    return model;
  })
  .extend('outside', { scope: 'file' }, async ({}, { onCleanup }) => {
    let answer: Answer = { json: { data: [] } };
    const standIn = await startStandIn(() => answer);
    onCleanup(() => standIn.close());
    return { ...standIn, answerWith: (next: Answer) => (answer = next) };
  })
  .extend('parts', { scope: 'file' }, ({ outside }) => ({ network: outside.network }));

const send = async (service: Service, method: string, route: string, body?: object, headers = {}) => {
  const response = await service.request(route, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, text, json: (text ? JSON.parse(text) : {}) as Record<string, never> };
};

test('a thread keeps its model, and a new one gets the default of its user', async ({ service, model, fast }) => {
  const ann = await addUser(service, 'Ann');
  const routes = { fast: { provider: 'openai-compatible', name: 'small', base_url: fast.url, context_tokens: 9000 } };
  expect((await send(service, 'PATCH', '/api/settings', { model_routes: routes })).status).toBe(200);
  const say = async (body: object, headers = {}) =>
    (await send(service, 'POST', '/api/chat', { message: 'say hello', ...body }, headers)).json['thread_id'];
  const counts = () => [model.seen.length, fast.seen.length];
  const modelOf = async (id: unknown) => (await send(service, 'GET', `/api/threads/${String(id)}`)).json['model'];

  const first = await say({});
  expect([counts(), await modelOf(first)]).toEqual([[1, 0], null]);
  await say({ thread_id: first, model: 'fast' });
  await say({ thread_id: first });
  expect([counts(), await modelOf(first)]).toEqual([[1, 2], 'fast']);
  const fork = (await send(service, 'POST', `/api/threads/${String(first)}/fork`, {})).json;
  expect(fork['model']).toBe('fast');

  const unknown = await send(service, 'PATCH', '/api/me', { default_model: 'nothing' });
  expect(unknown).toMatchObject({ status: 400, json: { error: { param: 'default_model' } } });
  const changed = await send(service, 'PATCH', '/api/me', { default_model: 'fast' });
  expect(changed.json).toMatchObject({ preferences: { default_model: 'fast', generate_titles: true } });
  const second = await say({});
  expect(counts()).toEqual([1, 3]);
  await say({ thread_id: second, model: 'default' });
  await say({ thread_id: second });
  expect([counts(), await modelOf(second)]).toEqual([[3, 3], 'default']);
  await say({}, ann.headers);
  expect(counts()).toEqual([4, 3]);

  const offered = await send(service, 'GET', '/api/models', undefined, ann.headers);
  expect(offered.json).toMatchObject({
    chosen: null,
    models: [
      { id: 'default', name: 'scripted', provider: 'openai-compatible', price: null, reads: null, problem: null },
      { id: 'fast', name: 'small', context_tokens: 9000 },
    ],
  });
});

test('the operator chooses the route that answers by default, for all users', async ({ service, model, fast }) => {
  await send(service, 'PATCH', '/api/me', { default_model: null });
  const before = [model.seen.length, fast.seen.length] as const;
  const wrong = await send(service, 'PATCH', '/api/settings', { default_route: 'nothing' });
  expect(wrong).toMatchObject({ status: 400, json: { error: { param: 'default_route' } } });
  await send(service, 'PATCH', '/api/settings', { default_route: 'fast' });

  await service.ask('say hello', { model: 'gpt-anything' });
  expect([model.seen.length, fast.seen.length]).toEqual([before[0], before[1] + 1]);
  expect((await send(service, 'GET', '/api/me')).json).toMatchObject({
    model: { name: 'small', context_tokens: 9000 },
  });
  expect((await send(service, 'GET', '/api/status')).json).toMatchObject({ model: { name: 'small' } });
  const settings = await send(service, 'PATCH', '/api/settings', { default_route: null });
  expect(settings.json).toMatchObject({ default_route: null, default_model: { name: 'scripted' } });
});

const PROVIDERS = '/api/settings/providers';
const MODELS = '/api/settings/models';

const modelsOf = async (service: Service) =>
  (await send(service, 'GET', MODELS)).json['models'] as unknown as { name: string; on: boolean; default: boolean }[];

test('a key is tried before it is stored, used for its address only, and never shown', async ({
  service,
  outside,
  fast,
}) => {
  const model = { provider: 'anthropic', name: 'claude-sonnet-4-5' };
  const tried = await send(service, 'POST', '/api/settings/test-model', { model });
  expect(tried).toMatchObject({ json: { ok: false, message: expect.stringContaining('ANTHROPIC_API_KEY') } });

  outside.answerWith({ json: { data: [{ id: 'gpt-5' }, { id: 'whisper-1' }] } });
  const put = await send(service, 'PUT', `${PROVIDERS}/openai`, { api_key: ` ${KEY} ` });
  expect(put.json).toMatchObject({
    providers: [
      {
        name: 'openai',
        title: 'OpenAI',
        key_source: 'stored',
        variable: 'OPENAI_API_KEY',
        stored: true,
        base_url: null,
        check: { state: 'works', models: 1, problem: null },
      },
      { name: 'openai-compatible', key_source: null, variable: 'LLM_API_KEY', stored: false, check: null },
    ],
  });
  expect(outside.asked.at(-1)).toMatchObject({ host: 'api.openai.com', headers: { authorization: `Bearer ${KEY}` } });

  const keyAt = async (host: string, body: object) => {
    await send(service, 'PUT', `${PROVIDERS}/lab`, { base_url: `https://${host}/v1`, ...body });
    expect(outside.asked.at(-1)).toMatchObject({ host });
    return outside.asked.at(-1)?.headers.authorization;
  };
  expect(await keyAt('lab.example.com', { api_key: `${KEY}-2` })).toBe(`Bearer ${KEY}-2`);
  expect(await keyAt('lab.example.com', {})).toBe(`Bearer ${KEY}-2`);
  expect(await keyAt('thief.example.com', {})).toBeUndefined();
  await send(service, 'POST', `${PROVIDERS}/lab/check`);
  expect(outside.asked.at(-1)?.headers.authorization).toBeUndefined();

  for (const shown of ['/api/settings', PROVIDERS, MODELS, '/api/audit', '/api/models', '/api/me'])
    expect((await send(service, 'GET', shown)).text).not.toContain(KEY);
  await send(service, 'PATCH', '/api/settings', {
    model_routes: { mine: { provider: 'openai-compatible', name: 'm', base_url: fast.url } },
  });
  const leak = await send(service, 'POST', '/api/chat', { message: `say ${KEY}`, model: 'mine' });
  expect(leak.text).not.toContain(KEY);
});

test('a new provider brings all its models: the recommended one is on, the others are off', async ({
  service,
  outside,
}) => {
  await send(service, 'PATCH', '/api/settings', { model_routes: {}, default_route: null });
  await send(service, 'DELETE', `${PROVIDERS}/openai`);
  const data = ['gpt-4o', 'gpt-5.5', 'gpt-6-sol', 'gpt-6-luna', 'text-embedding-3-small'].map((id) => ({ id }));
  outside.answerWith({ json: { data } });
  await send(service, 'PUT', `${PROVIDERS}/openai`, { api_key: KEY });

  const of = (names: string[]) => async () =>
    (await modelsOf(service)).filter(({ name }) => names.includes(name)).map(({ name, on }) => [name, on]);
  expect((await modelsOf(service)).filter(({ on }) => on).map(({ name }) => name)).toEqual(['gpt-6-sol', 'scripted']);
  expect(await of(['gpt-4o', 'text-embedding-3-small'])()).toEqual([['gpt-4o', false]]);
  expect((await send(service, 'GET', MODELS)).json['models']).toContainEqual(
    expect.objectContaining({
      provider: 'openai',
      name: 'gpt-4o',
      route: null,
      price: { input_usd_per_million: 2.5, output_usd_per_million: 10 },
      price_set: false,
    }),
  );
  // Stored again, the key changes nothing about them.
  await send(service, 'PATCH', MODELS, { provider: 'openai', name: 'gpt-6-sol', on: false });
  await send(service, 'PUT', `${PROVIDERS}/openai`, { api_key: `${KEY}-3` });
  expect(await of(['gpt-6-sol'])()).toEqual([['gpt-6-sol', true]]);
});

test('a model is switched on and off, made the default, priced and described; it is listed once', async ({
  service,
  outside,
}) => {
  const change = (body: object) => send(service, 'PATCH', MODELS, { provider: 'local', name: 'small', ...body });
  const find = async () => (await modelsOf(service)).filter(({ name }) => name === 'small');
  outside.answerWith({ json: { data: [{ id: 'small', context_length: 32_000 }, { id: 'gpt-6-sol' }] } });
  await send(service, 'PUT', `${PROVIDERS}/local`, { base_url: 'https://local.example.com/v1' });
  expect(await find()).toMatchObject([{ provider: 'local', on: false, context_tokens: 32_000, price: null }]);

  expect((await change({ price: { input_usd_per_million: 1, output_usd_per_million: 2 } })).status).toBe(204);
  expect((await change({ context_tokens: 9000 })).status).toBe(400);
  expect((await change({ default: true })).status).toBe(204);
  expect((await change({ context_tokens: 9000, reads: ['image'] })).status).toBe(204);
  expect(await find()).toMatchObject([
    {
      on: true,
      default: true,
      route: 'small',
      context_tokens: 9000,
      reads: ['image'],
      price: { input_usd_per_million: 1, output_usd_per_million: 2 },
      price_set: true,
    },
  ]);
  const offered = (await send(service, 'GET', '/api/models')).json['models'] as unknown as { name: string }[];
  expect(offered.filter(({ name }) => name === 'small')).toMatchObject([{ id: 'default', route: 'small' }]);
  expect((await change({ on: false })).json).toMatchObject({ error: { param: 'on' } });

  // The same name at another provider is another model, with another price.
  await send(service, 'PATCH', MODELS, { provider: 'openai', name: 'gpt-6-sol', on: true });
  await send(service, 'PATCH', MODELS, { provider: 'local', name: 'gpt-6-sol', on: true });
  const both = (await modelsOf(service)).filter(({ name }) => name === 'gpt-6-sol');
  expect(both).toMatchObject([
    { provider: 'openai', route: 'gpt-6-sol' },
    { provider: 'local', route: 'local/gpt-6-sol' },
  ]);

  const order = await send(service, 'PATCH', '/api/settings', { fallbacks: ['gpt-6-sol', 'local/gpt-6-sol'] });
  expect(order.json).toMatchObject({ fallbacks: ['gpt-6-sol', 'local/gpt-6-sol'] });
  expect((await send(service, 'PATCH', '/api/settings', { fallbacks: ['none'] })).json).toMatchObject({
    error: { param: 'fallbacks' },
  });

  await send(service, 'PATCH', MODELS, { provider: 'openai-compatible', name: 'scripted', default: true });
  await send(service, 'DELETE', `${PROVIDERS}/local`);
  expect(await find()).toEqual([]);
  expect((await send(service, 'GET', '/api/settings')).json).toMatchObject({
    default_route: null,
    fallbacks: ['gpt-6-sol'],
  });
  await send(service, 'DELETE', `${PROVIDERS}/openai`);
  expect((await send(service, 'GET', '/api/settings')).json).toMatchObject({ fallbacks: [] });
});

test('the price that the operator sets is what a turn costs', async ({ service }) => {
  const setPrice = (price: object | null) =>
    send(service, 'PATCH', MODELS, { provider: 'openai-compatible', name: 'scripted', price });
  const cost = async () => (await service.ask('say hello')).usage.cost;
  expect(await cost()).toBeNull();

  await setPrice({ input_usd_per_million: 1_000_000, output_usd_per_million: 0 });
  expect(await cost()).toMatchObject({ output_usd: '0' });
  await setPrice(null);
  expect(await cost()).toBeNull();
});

test.for(PROVIDER_PRESETS)('$title is added with its key alone', async (preset, { service, outside }) => {
  const address = preset.baseUrl
    .replace(/[A-Z]{2,}/, 'mine')
    .replace('http://localhost:11434', 'https://local.example.com');
  const unusable = preset.unusable?.test('anthropic.claude') ? [] : ['anthropic.claude'];
  outside.answerWith({
    json:
      preset.provider === 'google'
        ? { models: [{ name: 'models/m' }] }
        : { data: [{ id: 'm' }, { id: 'anthropic.claude' }] },
  });
  const before = outside.asked.length;
  const put = await send(service, 'PUT', `${PROVIDERS}/${preset.name}`, {
    ...(preset.needsKey && { api_key: KEY }),
    ...(!preset.isFixed && { base_url: address }),
  });

  expect(put).toMatchObject({ status: 200 });
  const asked = outside.asked.slice(before);
  expect(asked.map(({ url }) => url.href.split('?')[0])).toEqual(
    [...(preset.keyPath ? [preset.keyPath] : []), 'models'].map((path) => `${address}/${path}`),
  );
  for (const { headers } of asked) expect(JSON.stringify(headers).includes(KEY)).toBe(preset.needsKey);
  const listed = (await modelsOf(service)).filter((each) => 'provider' in each && each.provider === preset.name);
  const expected = preset.name === 'azure' ? [] : preset.provider === 'google' ? ['m'] : ['m', ...unusable];
  expect(listed.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
  await send(service, 'DELETE', `${PROVIDERS}/${preset.name}`);
});

test('a list of models that everyone can read does not hide a wrong key', async ({ service, outside }) => {
  outside.answerWith({ status: 401, json: {} });
  const put = await send(service, 'PUT', `${PROVIDERS}/openrouter`, { api_key: KEY });
  expect(put.json).toMatchObject({ error: { code: 'key_refused', values: { provider: 'OpenRouter' } } });
  expect(outside.asked.at(-1)?.url.pathname).toBe('/api/v1/key');
});

test('wrong providers are refused with the field', async ({ service }) => {
  const put = (name: string, body: object) => send(service, 'PUT', `/api/settings/providers/${name}`, body);
  const wrong: [string, object, string | null, number][] = [
    ['lab', {}, 'base_url', 400],
    ['lab', { base_url: 'ftp://x' }, 'base_url', 400],
    ['lab', { base_url: 'https://user:pass@x.example.com/v1' }, 'base_url', 400],
    ['lab', { base_url: 'https://x.example.com/v1?key=1' }, 'base_url', 400],
    ['openai', { base_url: 'https://x.example.com/v1' }, 'base_url', 400],
    ['openai', { api_key: '' }, 'api_key', 400],
    ['openai', { api_key: 'a b' }, 'api_key', 400],
    ['openai', { api_key: 'a\r\nx: y' }, 'api_key', 400],
    ['openai', { api_key: 'ü' }, 'api_key', 400],
    ['openai', { api_key: 'x'.repeat(5000) }, 'api_key', 400],
    ['demo', { base_url: 'https://x.example.com/v1' }, 'name', 400],
    ['openai-compatible', { base_url: 'https://x.example.com/v1' }, 'name', 400],
  ];
  for (const [name, body, param, status] of wrong)
    expect([name, body, await put(name, body)]).toMatchObject([name, body, { status, json: { error: { param } } }]);
  expect((await put('Not%20a%20name', { base_url: 'https://x.example.com/v1' })).status).toBe(404);
});

const ODD = { base_url: 'https://odd.example.com/v1', api_key: KEY };

test.for<[string, string, Answer]>([
  ['key_refused', 'refused the key', { status: 401, json: { error: { message: `bad key ${KEY}` } } }],
  ['key_refused', 'refused the key', { status: 400, json: { error: { message: 'API key not valid.' } } }],
  ['provider_unreachable', 'answered 503', { status: 503, text: '<html>' }],
  ['provider_unreachable', 'does not answer', { text: 'x'.repeat(6 * 1024 * 1024) }],
  ['provider_unreachable', 'does not answer', 'break-off'],
])('a provider that can not be used is not stored (%s): %s', async ([code, message, answer], { service, outside }) => {
  outside.answerWith(answer);
  const put = await send(service, 'PUT', `${PROVIDERS}/odd`, ODD);

  expect(put).toMatchObject({ status: 400, json: { error: { code, message: expect.stringContaining(message) } } });
  expect(put.text).not.toContain(KEY);
  expect(put.text).not.toContain('<html>');
  expect((await send(service, 'GET', PROVIDERS)).text).not.toContain('odd.example.com');
});

test.for<[string, Answer]>([
  ['no list of models at this address', { status: 404, text: '<html>' }],
  ['not a list of models', { text: '<html>no' }],
  ['not a list of models', { json: { data: 'x' } }],
  ['answered 302', { status: 302, headers: { location: 'http://169.254.169.254/' }, text: '' }],
])('models of a provider without a list are added by name: %s', async ([problem, answer], { service, outside }) => {
  outside.answerWith(answer);
  await send(service, 'PUT', `${PROVIDERS}/odd`, ODD);
  const checked = await send(service, 'POST', `${PROVIDERS}/odd/check`);
  expect(checked.json).toMatchObject({ check: { state: 'no_list', problem: expect.stringContaining(problem) } });
  expect(checked.text).not.toContain('<html>');

  await send(service, 'PATCH', MODELS, { provider: 'odd', name: 'typed', on: true });
  expect((await modelsOf(service)).filter(({ name }) => name === 'typed')).toMatchObject([
    { provider: 'odd', on: true },
  ]);
  await send(service, 'DELETE', `${PROVIDERS}/odd`);
  expect((await modelsOf(service)).filter(({ name }) => name === 'typed')).toEqual([]);
});

test('a key that is refused later is shown so, and the models stay', async ({ service, outside }) => {
  outside.answerWith({ json: { data: [{ id: 'one' }] } });
  await send(service, 'PUT', `${PROVIDERS}/odd`, ODD);
  outside.answerWith({ status: 403, json: {} });
  const checked = await send(service, 'POST', `${PROVIDERS}/odd/check`);

  expect(checked.json).toMatchObject({
    check: { state: 'key_refused', problem: 'odd refused the key (403). Check the key.' },
  });
  expect((await modelsOf(service)).filter(({ name }) => name === 'one')).toMatchObject([{ on: true }]);
});
