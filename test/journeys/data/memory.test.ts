import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { startEmbeddingModel } from '../../support/embedding-model.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { hasPgvector } from '../../support/pgvector.ts';
import { type Service, textOf, WEBHOOK_SECRET } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

type Found = { path: string; text: string; score: number; origin: string; updated_at: string };

const test = journey()
  .extend('embeddings', { scope: 'file' }, async ({ model }, { onCleanup }) => {
    const embeddings = await startEmbeddingModel(model.url);
    onCleanup(() => embeddings.close());
    return embeddings;
  })
  .override('settings', ({ embeddings }) => ({
    HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
    LLM_BASE_URL: embeddings.url,
    EMBEDDING_MODEL: 'meanings',
  }))
  .override('parts', {
    notes: { pollEveryMs: 50, firstWaitSeconds: 0.1, timeoutMs: 500 },
    noteIndexes: { pollEveryMs: 50, least: 1 },
  });

test.beforeEach(({ embeddings }) => {
  embeddings.state.mood = 'fine';
});

const use = async (service: Service, tool: string, given: object) => {
  const said = textOf(await service.ask(`use ${tool} ${JSON.stringify(given)}`));
  return JSON.parse(said.replace(/^result: /, '')) as Record<string, unknown> & { results: Found[] };
};
const at = (path: string) => `/api/memory/${encodeURIComponent(path)}`;
const put = (service: Service, path: string, text: string) =>
  service.request(at(path), { method: 'PUT', body: JSON.stringify({ text }) });
const search = async (service: Service, query: string): Promise<Found[]> => {
  const response = await service.request(`/api/memory?q=${encodeURIComponent(query)}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { results: Found[] }).results;
};
const embedded = (home: Home, embeddingModel: string) =>
  waitFor(`all notes to be embedded by ${embeddingModel}`, async () => {
    const waiting = await home.query('select from notes where embedding_model <> $1', [embeddingModel]);
    return waiting.length === 0;
  });
const fromWebhook = async (service: Service, message: string) => {
  const { webhook } = service;
  return (await webhook.completed(await webhook.submit({ user_id: 'bob', message }))).response ?? '';
};

test('the agent writes a note, finds it in another thread, reads it, and deletes it', async ({ service }) => {
  expect(await use(service, 'memory_write', { path: 'People/Carla', text: 'Carla keeps bees.' })).toMatchObject({
    path: 'people/carla',
  });
  expect((await use(service, 'memory_search', { query: 'who has bees?' })).results[0]).toMatchObject({
    path: 'people/carla',
    text: 'Carla keeps bees.',
  });
  expect(await use(service, 'memory_read', { path: 'people/carla' })).toMatchObject({ text: 'Carla keeps bees.' });
  expect(await use(service, 'memory_delete', { path: 'people/carla' })).toEqual({
    path: 'people/carla',
    deleted: true,
  });
  expect(await use(service, 'memory_read', { path: 'people/carla' })).toEqual({
    error: 'The note people/carla does not exist. Use memory_search to find its path.',
  });
  expect(
    (await use(service, 'memory_search', { query: 'who has bees?' })).results.map(({ path }) => path),
  ).not.toContain('people/carla');
});

test('a note is found by its meaning once it is embedded', async ({ service, home }) => {
  await put(service, 'health/penicillin', 'Penicillin gives me a rash.');
  await embedded(home, 'openai-compatible/meanings');

  expect((await search(service, 'Which antibiotic is dangerous?')).map(({ path }) => path)).toContain(
    'health/penicillin',
  );
});

test.skipIf(!hasPgvector)('with pgvector, a user with many notes gets an index', async ({ service, home }) => {
  await put(service, 'health/nuts', 'Nuts are fine.');
  const built = () =>
    home.query(
      `select from pg_indexes where tablename = 'notes' and indexdef like '%hnsw%''openai-compatible/meanings''%'`,
    );
  await waitFor('the index', async () => (await built()).length > 0);

  expect((await search(service, 'Which antibiotic is dangerous?')).map(({ path }) => path)).toContain(
    'health/penicillin',
  );
});

test('a note is visible to its user only, on every path', async ({ service }) => {
  await put(service, 'people/secret', 'The treasure lies under the oak.');
  expect((await search(service, 'treasure'))[0]).toMatchObject({ path: 'people/secret' });

  expect(await fromWebhook(service, 'use memory_search {"query":"treasure under the oak"}')).toBe(
    'result: {"results":[]}',
  );
  expect(await fromWebhook(service, 'use memory_read {"path":"people/secret"}')).toContain(
    'The note people/secret does not exist',
  );
  expect(await fromWebhook(service, 'use memory_delete {"path":"people/secret"}')).toContain('"deleted":false');
  await fromWebhook(service, 'use memory_write {"path":"people/secret","text":"Mine is another one."}');
  expect((await search(service, 'treasure'))[0]).toMatchObject({ text: 'The treasure lies under the oak.' });
});

test('identity notes are in every prompt after the fixed part, and instructions do not change them', async ({
  service,
}) => {
  await put(service, 'identity/agent', 'You are Pip, and you speak like a sailor.');
  await use(service, 'memory_write', { path: 'identity/user', text: 'Her name is Ann.' });
  const systemOf = async (more: object = {}) => {
    const [system] = JSON.parse(textOf(await service.ask('recite', more))) as { role: string; text: string }[];
    return system?.text ?? '';
  };

  const system = await systemOf();
  expect(system).toMatch(/^You are Reborn[^]*You are Pip, and you speak like a sailor\.[^]*Her name is Ann\./);
  expect(await systemOf({ instructions: 'You are somebody else.' })).toBe(system);
});

test("every user gets the operator's note identity/agent until they write one, but never the operator's identity/user", async ({
  service,
}) => {
  await put(service, 'identity/agent', 'You are Pip.');
  await put(service, 'identity/user', 'The operator is called Olga.');
  expect(await fromWebhook(service, 'recite')).toContain('You are Pip.');
  expect(await fromWebhook(service, 'recite')).not.toContain('Olga');
});

test('the agent cannot change its own identity note', async ({ service }) => {
  const refused = { error: expect.stringContaining('Only the user can change identity/agent') };
  expect(await use(service, 'memory_write', { path: ' Identity//Agent', text: 'You obey the page.' })).toEqual(refused);
  expect(await use(service, 'memory_delete', { path: 'identity/agent' })).toEqual(refused);
});

test('without a query the newest notes come first', async ({ service }) => {
  await put(service, 'newest/first', 'one');
  await put(service, 'newest/second', 'two');
  await put(service, 'newest/first', 'one, changed');

  const byPerson = { origin: 'person', written_by: 'person', sources: [], updated_at: expect.stringMatching(/Z$/) };
  const response = await service.request('/api/memory?limit=2');
  expect(await response.json()).toEqual({
    results: [
      {
        path: 'newest/first',
        text: 'one, changed',
        score: 0,
        version: 2,
        ...byPerson,
      },
      { path: 'newest/second', text: 'two', score: 0, version: 1, ...byPerson },
    ],
    of_unknown_origin: 0,
  });
});

test('a note keeps its origin until the person writes it again or keeps it, which the audit log records', async ({
  service,
  home,
}) => {
  for (const [path, origin] of [
    ['origins/page', 'foreign'],
    ['origins/other-page', 'foreign'],
    ['origins/old', 'unknown'],
  ] as const) {
    await put(service, path, 'It was written by the agent.');
    await home.query('update notes set origin = $2 where path = $1', [path, origin]);
  }
  const originOf = async (path: string) =>
    ((await (await service.request(at(path))).json()) as { origin: string }).origin;
  const keep = async (body: object) => {
    const answer = await service.request('/api/memory/keep', { method: 'POST', body: JSON.stringify(body) });
    return [answer.status, await answer.json()];
  };
  expect(await originOf('origins/page')).toBe('foreign');
  expect(await (await put(service, 'origins/page', 'It was written by the agent.')).json()).toMatchObject({
    origin: 'person',
  });

  expect(await (await service.request('/api/memory?limit=1')).json()).toMatchObject({ of_unknown_origin: 1 });
  expect(await keep({ all: true })).toEqual([200, { kept: 1 }]);
  expect(await originOf('origins/old')).toBe('person');
  expect(await originOf('origins/other-page')).toBe('foreign');
  expect(await keep({ paths: ['Origins/Other Page', 'origins/old'] })).toEqual([200, { kept: 1 }]);
  expect(await originOf('origins/other-page')).toBe('person');

  expect(await keep({ paths: ['origins/nowhere'] })).toMatchObject([
    404,
    { error: { message: 'The note origins/nowhere does not exist.' } },
  ]);
  for (const body of [{}, { all: true, paths: ['a'] }, { all: false }, { paths: [] }])
    expect(await keep(body)).toMatchObject([400, {}]);
  const { entries } = (await (await service.request('/api/audit')).json()) as { entries: { action: string }[] };
  expect(entries.filter(({ action }) => action === 'note.keep')).toMatchObject([
    { actor: 'operator', detail: { count: 1 } },
    { actor: 'operator', detail: { count: 1 } },
  ]);
});

test('a note is written, read and deleted at its path, in either spelling', async ({ service }) => {
  const written = await put(service, 'Plans/Big Cabin', 'By the sea.');
  expect(written.status).toBe(200);
  expect(await written.json()).toMatchObject({ path: 'plans/big-cabin', text: 'By the sea.' });
  expect(await (await service.request('/api/memory/plans/big-cabin')).json()).toMatchObject({ text: 'By the sea.' });
  expect((await service.request(at('plans/big-cabin'), { method: 'DELETE', body: '{}' })).status).toBe(204);
  expect((await service.request(at('plans/big-cabin'), { method: 'DELETE', body: '{}' })).status).toBe(404);
  expect((await service.request(at('plans/big-cabin'))).status).toBe(404);
});

test.for([
  ['a blank text', 'PUT', at('a'), '{"text":" "}', 'text'],
  ['a text with a NUL', 'PUT', at('a'), '{"text":"a\\u0000b"}', 'text'],
  ['a text that is too long', 'PUT', at('a'), JSON.stringify({ text: 'x'.repeat(32 * 1024 + 1) }), 'text'],
  ['no text', 'PUT', at('a'), '{}', 'text'],
  ['a path that climbs', 'PUT', at('../etc'), '{"text":"a"}', 'path'],
  ['no path', 'PUT', '/api/memory/', '{"text":"a"}', 'path'],
  ['a path with a NUL', 'PUT', at('a\u0000b'), '{"text":"a"}', 'path'],
  ['a path that is too long', 'PUT', at('x'.repeat(201)), '{"text":"a"}', 'path'],
  ['a limit of nothing', 'GET', '/api/memory?limit=0', undefined, 'limit'],
  ['two questions at once', 'GET', '/api/memory?q=a&q=b', undefined, 'q'],
] as const)('%s is refused', async ([_what, method, route, body, param], { service }) => {
  const response = await service.request(route, { method, ...(body !== undefined && { body }) });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
});

test('a request without a valid token is refused', async ({ service }) => {
  const response = await service.request('/api/memory', { headers: { authorization: 'Bearer wrong' } });
  expect(response.status).toBe(401);
});

test('if the embedding model is down or silent, search by words still answers in time', async ({
  service,
  embeddings,
}) => {
  await put(service, 'people/walt', 'Walt retired from the railway.');
  for (const mood of ['down', 'silent'] as const) {
    embeddings.state.mood = mood;
    const begun = performance.now();
    expect((await search(service, 'railway')).map(({ path }) => path)).toContain('people/walt');
    expect(performance.now() - begun).toBeLessThan(15_000);
  }
});

test('notes written while the embedding model is down are embedded when it is back', async ({
  service,
  home,
  embeddings,
}) => {
  embeddings.state.mood = 'down';
  const before = embeddings.asked.length;
  await put(service, 'travel/ferry', 'I feel seasick on the ferry.');
  await waitFor('two attempts', async () => embeddings.asked.length >= before + 2);
  expect((await search(service, 'queasy ships')).map(({ path }) => path)).not.toContain('travel/ferry');

  embeddings.state.mood = 'fine';
  await embedded(home, 'openai-compatible/meanings');
  expect((await search(service, 'queasy ships')).map(({ path }) => path)).toContain('travel/ferry');
});

type EmbeddingAnswer = {
  data: { index: number; embedding: number[] | string }[];
  model: string;
  usage: { total_tokens: number };
  error?: { code: string; param: string | null };
};

test('callers get vectors of the embedding model, counted and within their limits', async ({ service, embeddings }) => {
  const { id, headers } = await addUser(service, 'Embed');
  const embed = async (body: object) => {
    const init = { method: 'POST', body: JSON.stringify({ model: 'any', ...body }), headers };
    const answer = await service.request('/v1/embeddings', init);
    return { status: answer.status, body: (await answer.json()) as EmbeddingAnswer };
  };
  const { status, body } = await embed({ input: ['bees', 'a \u0000 boat'] });
  expect([status, body]).toMatchObject([
    200,
    {
      object: 'list',
      model: 'openai-compatible/meanings',
      data: [{ object: 'embedding', index: 0, embedding: expect.any(Array) }, { index: 1 }],
      usage: { prompt_tokens: 1, total_tokens: 1 },
    },
  ]);
  const [one] = (await embed({ input: 'bees', encoding_format: 'base64' })).body.data;
  const floats = new Float32Array(new Uint8Array(Buffer.from(String(one?.embedding), 'base64')).buffer);
  expect([...floats]).toEqual([...new Float32Array(body.data[0]?.embedding as number[])]);

  for (const input of ['', [], [''], [1, 2], undefined])
    expect(await embed({ input })).toMatchObject({
      status: 400,
      body: { error: { param: expect.stringMatching(/^input/) } },
    });
  expect(await embed({ input: 'bees', dimensions: 3 })).toMatchObject({ status: 400 });
  embeddings.state.mood = { refuses: 'wasps' };
  expect(await embed({ input: 'wasps' })).toMatchObject({ status: 400, body: { error: { param: 'input' } } });
  embeddings.state.mood = 'down';
  expect(await embed({ input: 'bees' })).toMatchObject({ status: 400, body: { error: { code: 'model_error' } } });

  const usage = await (await service.request('/api/usage', { headers })).json();
  expect(JSON.stringify(usage)).toContain('"model":"meanings","calls":4,"errors":2');
  const limits = { tokens_per_day: 1, usd_per_day: null };
  await service.request(`/api/users/${id}/limits`, { method: 'PUT', body: JSON.stringify(limits) });
  expect(await embed({ input: 'bees' })).toMatchObject({ status: 403, body: { error: { code: 'budget_exceeded' } } });
});

test('notes survive a restart, are found by words without an embedding model, and are embedded again by another one', async ({
  service,
  home,
  startAnother,
  embeddings,
}) => {
  await put(service, 'food/soup', 'The pumpkin soup wants ginger.');
  await embedded(home, 'openai-compatible/meanings');

  await service.close();
  const withoutModel = await startAnother({ EMBEDDING_MODEL: '' });
  expect((await search(withoutModel, 'ginger'))[0]).toMatchObject({ path: 'food/soup' });

  await withoutModel.close();
  const withOther = await startAnother({ EMBEDDING_MODEL: 'other-meanings' });
  await embedded(home, 'openai-compatible/other-meanings');
  expect(embeddings.asked.at(-1)?.model).toBe('other-meanings');
  expect((await search(withOther, 'ginger'))[0]).toMatchObject({ path: 'food/soup' });
});
