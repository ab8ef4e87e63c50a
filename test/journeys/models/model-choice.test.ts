import { expect } from 'vitest';
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

test('a key is stored, used for its address only, and never shown', async ({ service, outside, fast }) => {
  const route = '/api/settings/providers';
  const missing = await send(service, 'GET', `${route}/anthropic/models`);
  expect(missing).toMatchObject({ status: 400, text: expect.stringContaining('ANTHROPIC_API_KEY') });
  const model = { provider: 'anthropic', name: 'claude-sonnet-4-5' };
  const tried = await send(service, 'POST', '/api/settings/test-model', { model });
  expect(tried).toMatchObject({ json: { ok: false, message: expect.stringContaining('ANTHROPIC_API_KEY') } });

  const put = await send(service, 'PUT', `${route}/openai`, { api_key: ` ${KEY} ` });
  expect(put.json).toMatchObject({
    providers: [
      { name: 'openai', key_source: 'stored', variable: 'OPENAI_API_KEY', stored: true, base_url: null },
      { name: 'anthropic', key_source: null, variable: 'ANTHROPIC_API_KEY', stored: false },
      { name: 'google', key_source: null },
      { name: 'openai-compatible', key_source: null, variable: 'LLM_API_KEY', stored: false },
    ],
  });
  outside.answerWith({ json: { data: [{ id: 'gpt-5' }, { id: 'whisper-1' }] } });
  expect((await send(service, 'GET', `${route}/openai/models`)).json).toEqual({
    models: [{ id: 'gpt-5', context_tokens: null, reads: null }],
  });
  expect(outside.asked.at(-1)).toMatchObject({ host: 'api.openai.com', headers: { authorization: `Bearer ${KEY}` } });

  await send(service, 'PUT', `${route}/lab`, { base_url: 'https://lab.example.com/v1', api_key: `${KEY}-2` });
  await send(service, 'GET', `${route}/lab/models`);
  expect(outside.asked.at(-1)).toMatchObject({
    host: 'lab.example.com',
    headers: { authorization: `Bearer ${KEY}-2` },
  });
  await send(service, 'PUT', `${route}/lab`, { base_url: 'https://lab.example.com/v2' });
  await send(service, 'GET', `${route}/lab/models`);
  expect(outside.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}-2`);
  await send(service, 'PUT', `${route}/lab`, { base_url: 'https://thief.example.com/v1' });
  await send(service, 'GET', `${route}/lab/models`);
  expect(outside.asked.at(-1)).toMatchObject({ host: 'thief.example.com' });
  expect(outside.asked.at(-1)?.headers.authorization).toBeUndefined();

  for (const shown of ['/api/settings', route, '/api/audit', '/api/models', '/api/me'])
    expect((await send(service, 'GET', shown)).text).not.toContain(KEY);
  await send(service, 'PATCH', '/api/settings', {
    model_routes: { mine: { provider: 'openai-compatible', name: 'm', base_url: fast.url } },
  });
  const leak = await send(service, 'POST', '/api/chat', { message: `say ${KEY}`, model: 'mine' });
  expect(leak.text).not.toContain(KEY);

  expect((await send(service, 'DELETE', `${route}/openai`)).status).toBe(204);
  expect((await send(service, 'DELETE', `${route}/openai`)).status).toBe(404);
  expect((await send(service, 'GET', `${route}/openai/models`)).text).toContain('OPENAI_API_KEY');
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

test.for<[string, Answer]>([
  ['refused the key', { status: 401, json: { error: { message: `bad key ${KEY}` } } }],
  ['no list of models at this address', { status: 404, text: '<html>' }],
  ['not a list of models', { text: '<html>no' }],
  ['not a list of models', { json: { data: 'x' } }],
  ['answered 302', { status: 302, headers: { location: 'http://169.254.169.254/' }, text: '' }],
  ['could not be listed', { text: 'x'.repeat(6 * 1024 * 1024) }],
  ['could not be listed', 'break-off'],
])('a provider that does not list its models gets a message: %s', async ([message, answer], { service, outside }) => {
  await send(service, 'PUT', '/api/settings/providers/odd', { base_url: 'https://odd.example.com/v1', api_key: KEY });
  outside.answerWith(answer);
  const listed = await send(service, 'GET', '/api/settings/providers/odd/models');
  expect(listed).toMatchObject({ status: 400, text: expect.stringContaining(message) });
  expect(listed.text).not.toContain(KEY);
  expect(listed.text).not.toContain('<html>');
});
