import { expect } from 'vitest';
import { statusRoute } from '#channels/gateway/health/status-route.ts';
import { fieldMeanings } from '#channels/responses/request/create-request.ts';
import { addUser } from '../../support/accounts.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import type { ScriptedModel } from '../../support/scripted-model.ts';
import { type Service, TOKEN, textOf, type WireResponse } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const serviceStatus = statusRoute.responses[200].json;
const test = journey()
  .override('settings', { CHAT_RATE_PER_MINUTE: '1000', RESPONSES_TIMEOUT_SECS: '4' })
  .override('parts', { overdueTurnsEveryMs: 100 });

const withKey = (service: Service, key: string, input: string) =>
  service.request('/api/v1/responses', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', input }),
    headers: { 'idempotency-key': key },
  });

test('the same Idempotency-Key and body give the same response, even at the same moment', async ({
  model,
  service,
}) => {
  const asked = model.seen.length;
  const answers = await Promise.all(Array.from({ length: 5 }, () => withKey(service, 'k1', 'say once')));
  const responses = (await Promise.all(answers.map((answer) => answer.json()))) as WireResponse[];

  expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
  expect(responses.map(textOf)).toEqual(Array.from({ length: 5 }, () => 'once'));
  expect(model.seen).toHaveLength(asked + 1);
});

test('the same Idempotency-Key with another body is refused, and so is an overlong key', async ({ service }) => {
  await withKey(service, 'k2', 'say one');
  const other = await withKey(service, 'k2', 'say two');

  expect([other.status, await other.json()]).toMatchObject([409, { error: { code: 'idempotency_mismatch' } }]);
  expect((await withKey(service, 'k'.repeat(256), 'say one')).status).toBe(200);
  expect((await withKey(service, 'k'.repeat(257), 'say one')).status).toBe(400);
});

test('a forged response id does not continue the thread it names, with a message or a resume', async ({ service }) => {
  const { id } = await service.ask('say mine');
  const other = await service.ask('say other');
  const [threadHex, otherThread] = [id.slice(-32), other.id.slice(-32)];
  const madeUp = [`resp_${'0123456789abcdef'.repeat(2)}${threadHex}`, `${id.slice(0, -32)}${otherThread}`];

  for (const previous of madeUp)
    for (const input of ['say more', [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }]]) {
      const refused = await service.ask(input, { previous_response_id: previous });
      expect(refused).toMatchObject({ status: 'failed', error: { code: 'previous_response_not_found' } });
      expect([threadHex, otherThread]).not.toContain(refused.id.slice(-32));
    }
  expect(textOf(await service.ask('say more', { previous_response_id: id }))).toBe('more');
});

test('a repeated create in the background returns the response as it is by then', async ({ service }) => {
  const headers = { 'idempotency-key': 'background' };
  const body = JSON.stringify({ model: 'm', input: 'say done', background: true });
  const create = async () =>
    (await (await service.request('/v1/responses', { method: 'POST', body, headers })).json()) as WireResponse;
  const { id, status } = await create();
  expect(status).toBe('queued');

  const ended = await waitFor('the response to complete', async () => {
    const found = await service.get(id);
    return found.status === 'completed' ? found : undefined;
  });
  expect(textOf(ended)).toBe('done');
  expect(await create()).toEqual({ ...ended, model: 'm' });
});

type Ended = { status: string; ended: boolean; failure: { code: string } | null };

/** Sends a request and leaves before it is answered. */
async function sendAndLeave(service: Service, model: ScriptedModel, path: string, body: object, headers = {}) {
  const leave = new AbortController();
  const asked = model.seen.length;
  const answer = fetch(service.url + path, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', ...body }),
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    signal: leave.signal,
  });
  answer.catch(() => undefined);
  return { asked: () => waitFor('the model', async () => model.seen.length > asked), leave: () => leave.abort() };
}

/** The turn whose message is `input`, once it has ended. */
const endOf = (home: Home, input: string) =>
  waitFor('the end of the turn', async () => {
    const [turn] = await home.query<Ended>(
      `select status, failure, ended_at is not null as ended from turns
       where id in (select turn_id from items where body::text like '%' || $1 || '%')`,
      [input],
    );
    return turn?.ended ? turn : undefined;
  });

const TIMED_OUT = { status: 'failed', failure: { code: 'turn_timeout' } };

test('a turn whose client has left ends at its deadline, running or queued', async ({ service, model, home }) => {
  const first = await sendAndLeave(service, model, '/v1/responses', { input: 'hang around' });
  await first.asked();
  first.leave();
  expect(await endOf(home, 'hang around')).toMatchObject(TIMED_OUT);

  const { id } = (await (await service.post({ input: 'hang on', background: true })).json()) as WireResponse;
  const next = await sendAndLeave(service, model, '/v1/responses', { input: 'say late', previous_response_id: id });
  await waitFor('the queue', async () => (await home.query(QUEUED)).length > 0);
  next.leave();
  expect(await endOf(home, 'say late')).toMatchObject({ ended: true });
  expect(await service.get(id)).toMatchObject({ status: 'in_progress' });
  await service.request(`/v1/responses/${id}/cancel`, { method: 'POST' });
});

const QUEUED = `select from turns where status = 'queued'`;

test('a deadline holds on the replica that takes the turn over', async ({ service, model, home, startAnother }) => {
  const leaving = await startAnother();
  const { asked } = await sendAndLeave(leaving, model, '/v1/responses', { input: 'hang elsewhere' });
  await asked();
  await leaving.close();
  expect(await endOf(home, 'hang elsewhere')).toMatchObject(TIMED_OUT);
  expect(textOf(await service.ask('say on'))).toBe('on');
});

const tryNumber = (count: number) => ({ 'x-stainless-retry-count': String(count) });

test('a repetition that a client library marks as one joins the turn of the first try', async ({
  service,
  model,
  home,
  startAnother,
}) => {
  const other = await startAnother();
  const asks = [
    ['/v1/responses', { input: 'count 6 every 50' }],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'count 6 every 50' }] }],
  ] as const;
  for (const [path, body] of asks) {
    const before = model.seen.length;
    const first = await sendAndLeave(service, model, path, body, tryNumber(0));
    await first.asked();
    first.leave();
    const init = { method: 'POST', body: JSON.stringify({ model: 'm', ...body }) };
    const again = await other.request(path, { ...init, headers: tryNumber(1) });
    expect(await again.text()).toContain('0 1 2 3 4 5');
    expect(model.seen).toHaveLength(before + 1);
  }
  await other.close();

  const send = async (count: number, headers = {}, input: unknown = 'say twice', more = {}): Promise<WireResponse> => {
    const body = JSON.stringify({ model: 'm', input, ...more });
    const init = { method: 'POST', body, headers: { ...tryNumber(count), ...headers } };
    return (await service.request('/v1/responses', init)).json() as Promise<WireResponse>;
  };
  const [one, two] = [await send(0), await send(0)];
  expect(two.id).not.toBe(one.id);
  expect((await send(2)).id).toBe(two.id);
  const { headers } = await addUser(service, 'Bob');
  expect(textOf(await send(1, headers))).toBe('twice');
  await home.query(`update turns set ended_at = now() - interval '61 seconds' where ended_at is not null`);
  expect([one.id, two.id]).not.toContain((await send(1)).id);

  const tools = [{ type: 'function', name: 'lookup', parameters: { type: 'object' } }];
  const { id, output } = await service.ask('use lookup {}', { tools });
  const result = [{ type: 'function_call_output', call_id: output[0]?.call_id, output: 'snow' }];
  const resumed = await send(0, {}, result, { previous_response_id: id });
  expect(textOf(resumed)).toBe('result: snow');
  expect((await send(1, {}, result, { previous_response_id: id })).id).toBe(resumed.id);
});

test('a turn that exceeds the timeout is cancelled and keeps its text so far', async ({ service }) => {
  const response = await service.ask('count 200 every 50');

  expect(response).toMatchObject({ status: 'failed', error: { code: 'turn_timeout' } });
  expect(textOf(response)).toMatch(/^0 1 2 /);
  expect(textOf(await service.ask('say next', { previous_response_id: response.id }))).toBe('next');
});

test('the input items of a response are listed in pages', async ({ service }) => {
  const input = ['one', 'two', 'say three'].map((content) => ({ role: 'user', content }));
  const { id } = await service.ask(input);
  const list = async (query: string) =>
    (await (await service.request(`/v1/responses/${id}/input_items${query}`)).json()) as {
      data: { id: string; content: { type: string; text: string }[] }[];
      has_more: boolean;
      last_id: string;
    };

  const first = await list('?limit=2&order=asc');
  expect(first.data.map(({ content }) => content)).toEqual([
    [{ type: 'input_text', text: 'one' }],
    [{ type: 'input_text', text: 'two' }],
  ]);
  const second = await list(`?order=asc&after=${first.last_id}`);
  expect([first.has_more, second.has_more, second.data[0]?.content[0]?.text]).toEqual([true, false, 'say three']);
  expect((await list('')).data[0]?.content[0]?.text).toBe('say three');
  expect((await service.request(`/v1/responses/${id}/input_items?limit=0`)).status).toBe(400);
});

test('an item of an earlier response can be referenced by its id, and no other item can', async ({ service }) => {
  const first = await service.ask('say remember me');
  const reference = { type: 'item_reference', id: first.output[0]?.id };
  const second = await service.ask([reference, { role: 'user', content: 'recite' }]);

  expect(textOf(second)).toContain('remember me');
  const unknown = { type: 'item_reference', id: `msg_${'0'.repeat(32)}` };
  const refused = await service.post({ input: [unknown, { role: 'user', content: 'recite' }] });
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'input[0].id' } }]);
});

test('a tool result can answer a referenced call', async ({ service }) => {
  const tools = [{ type: 'function', name: 'look' }];
  const paused = await service.ask('use look {}', { tools });
  const [call] = paused.output;
  const input = [
    { role: 'user', content: 'look for me' },
    { type: 'item_reference', id: call?.id },
    { type: 'function_call_output', call_id: call?.call_id, output: 'seen' },
  ];

  expect(textOf(await service.ask(input, { tools }))).toBe('result: seen');
});

test('the models can be listed', async ({ service }) => {
  const models = await (await service.request('/api/v1/models')).json();

  expect(models).toMatchObject({ object: 'list', data: [{ id: 'reborn', object: 'model' }] });
});

test('a chat message is answered, continued and refused like any other', async ({ service }) => {
  const chat = async (body: object, path = '/api/chat') => {
    const response = await service.request(path, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const first = await chat({ message: 'say hi' });
  expect(first).toMatchObject({ status: 200, body: { status: 'completed', message: 'hi' } });

  const { thread_id, response_id } = first.body;
  expect((await service.get(String(response_id))).status).toBe('completed');
  const sent = await chat({ message: 'say ho', thread_id }, '/api/chat/send');
  expect(sent).toMatchObject({ status: 202, body: { thread_id, status: 'queued' } });
  expect(await chat({ message: 'break 400', thread_id })).toMatchObject({ body: { error: { code: 'model_error' } } });
  expect(await chat({ message: ' ' })).toMatchObject({ status: 400, body: { error: { param: 'message' } } });
  expect(await chat({ message: 'x', thread_id: crypto.randomUUID() })).toMatchObject({ status: 404 });
});

test('the status reports what is running', async ({ service }) => {
  const status: unknown = await (await service.request('/api/status')).json();
  expect(() => serviceStatus.parse(status)).not.toThrow();
  expect(status).toMatchObject({
    status: 'ok',
    model: { provider: 'openai-compatible', name: 'scripted', demo: false },
    channels: { terminal: false, gateway: true, webhook: false },
    replicas: 1,
    queue: { running: expect.any(Number) },
    tools: expect.any(Number),
    threads: expect.any(Number),
  });
});

test('a member sees the number of only their threads', async ({ service }) => {
  const ann = await addUser(service, 'Ann');
  await service.ask('say a thread of another user');
  const threadsOf = async (headers: Record<string, string>) =>
    ((await (await service.request('/api/status', { headers })).json()) as { threads: number }).threads;
  expect(await threadsOf(ann.headers)).toBe(0);

  await service.request('/api/chat', { method: 'POST', body: '{"message":"say x"}', headers: ann.headers });
  expect(await threadsOf(ann.headers)).toBe(1);
  expect(await threadsOf({})).toBeGreaterThan(1);
});

test('the OpenAPI document is public and names every route', async ({ service }) => {
  const response = await fetch(`${service.url}/openapi.json`);
  const document = (await response.json()) as { openapi: string; paths: Record<string, object> };

  expect(document.openapi).toMatch(/^3\.1/);
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = service.routes
    .filter((route) => route.includes(' /api/'))
    .map((route) => route.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}'));
  expect(served.filter((route) => !documented.includes(route) && route !== 'GET /api/ws')).toEqual([]);
  expect(documented).toEqual(expect.arrayContaining(['POST /webhook', 'GET /jobs/{job_id}']));
});

test('the rate limit on messages holds across two replicas and all routes that send', async ({ startAnother }) => {
  const limited = { CHAT_RATE_PER_MINUTE: '5' };
  const [one, other] = await Promise.all([startAnother(limited), startAnother(limited)]);
  const statuses: number[] = [];
  for (let i = 0; i < 7; i++) {
    const replica = i % 2 === 0 ? one : other;
    const path = i % 3 === 0 ? '/api/chat/send' : '/api/v1/responses';
    const body = JSON.stringify({ model: 'm', input: 'say x', message: 'say x' });
    statuses.push((await replica.request(path, { method: 'POST', body })).status);
  }
  const refused = await one.post({ input: 'say x' });
  await Promise.all([one.close(), other.close()]);

  expect(statuses.map((status) => status < 300)).toEqual([true, true, true, true, true, false, false]);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a composition without external tools refuses tools and tool_choice, naming the field', async ({
  startAnother,
}) => {
  const closed = await startAnother({}, { externalTools: false });
  const refusal = async (fields: object) => {
    const response = await closed.post({ input: 'say x', ...fields });
    return { status: response.status, body: await response.json() };
  };

  expect(await refusal({ tools: [{ type: 'function', name: 'a' }] })).toMatchObject({
    status: 400,
    body: { error: { param: 'tools' } },
  });
  expect(await refusal({ tool_choice: 'auto' })).toMatchObject({
    status: 400,
    body: { error: { param: 'tool_choice' } },
  });
  expect((await refusal({ tools: [], tool_choice: null })).status).toBe(200);
  await closed.close();
});

test('without an embedding model, the answer says how to configure one', async ({ service }) => {
  const body = JSON.stringify({ model: 'any', input: 'bees' });
  const answer = await service.request('/api/v1/embeddings', { method: 'POST', body });
  const message = expect.stringContaining('Set EMBEDDING_MODEL');
  expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'not_found', message } }]);
});

/** For each field, values that are refused, and values that it can't have but that change nothing. */
const FIELD_VALUES: Record<string, { refused: unknown[]; ignored: unknown[] }> = {
  model: { refused: [5, '', ' m', 'x'.repeat(257)], ignored: [] },
  previous_response_id: { refused: [5, 'resp_1'], ignored: [] },
  conversation: { refused: [5, 'x', {}], ignored: [] },
  instructions: { refused: [5, ['x']], ignored: [] },
  x_context: { refused: [5, [], { key: 'x'.repeat(10_240) }], ignored: [] },
  input: { refused: [5, ' ', [], [{ type: 'no_such_type' }]], ignored: [] },
  stream: { refused: ['true', 1], ignored: [] },
  background: { refused: [], ignored: ['yes', 1] },
  when_busy: { refused: ['later', '', 1, true, {}], ignored: [null] },
  store: { refused: [], ignored: ['no', 0] }, // `false` is refused beside `background`
  include: { refused: [], ignored: [5, 'x', ['no.such.thing'], [5]] },
  context_management: {
    refused: [[{ type: 'compaction', compact_threshold: 999 }], [{ type: 'compaction', compact_threshold: '2000' }]],
    ignored: [5, {}, ['compaction'], [{ type: 'no_such_type', compact_threshold: 1 }]],
  },
  temperature: { refused: [2.1, -1, '1'], ignored: [] },
  top_p: { refused: [5, -0.1], ignored: ['x', {}] },
  presence_penalty: { refused: [9], ignored: ['x', []] },
  frequency_penalty: { refused: [-9], ignored: ['x', true] },
  reasoning: { refused: [], ignored: [5, 'high', { effort: 'utmost', summary: 5 }] },
  metadata: { refused: [], ignored: [5, 'x', ['x']] },
  tools: { refused: [5, {}, [{ type: 'web_search' }], [{ type: 'function', name: 'a b' }]], ignored: [] },
  text: {
    refused: [
      { format: 5 },
      { format: { type: 'no_such_type' } },
      { format: { type: 'json_schema', name: 'a b', schema: {} } },
      { format: { type: 'json_schema', schema: { type: 'no_such_type' } } },
    ],
    ignored: [5, 'x', [], { verbosity: 'utmost' }],
  },
};

test('exactly the values that the reference names are refused, with the field, and others are ignored', async ({
  service,
}) => {
  const create = async (fields: object) => {
    const body = JSON.stringify({ model: 'm', input: 'say fine', ...fields });
    const answer = await service.request('/api/v1/responses', { method: 'POST', body });
    return [answer.status, (await answer.json()) as object] as const;
  };
  const used = fieldMeanings().filter(({ isUsed }) => isUsed);

  expect(Object.keys(FIELD_VALUES)).toEqual(used.map(({ name }) => name));
  for (const { name, refused: says } of used) {
    const { refused = [], ignored = [] } = FIELD_VALUES[name] ?? {};
    expect([name, refused.length > 0 || name === 'store']).toEqual([name, says !== undefined]);
    const param = expect.stringMatching(new RegExp(`^${name}\\b`));
    for (const value of refused)
      expect(await create({ [name]: value }), `${name}: ${JSON.stringify(value)}`).toMatchObject([
        400,
        { error: { type: 'invalid_request_error', param } },
      ]);
    for (const value of ignored)
      expect(await create({ [name]: value }), `${name}: ${JSON.stringify(value)}`).toMatchObject([
        200,
        { status: 'completed' },
      ]);
  }
  expect(await create({ background: true, store: false })).toMatchObject([400, { error: { param: 'store' } }]);
});

test('a history of another service continues here, with what its tools answered', async ({ service }) => {
  const history = [
    { role: 'user', content: 'Fix the file.' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
    { type: 'custom_tool_call', call_id: 'call_x', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', call_id: 'call_x', output: 'patched the file' },
    { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'Nothing more.' }] },
  ];
  const recited = textOf(await service.ask([...history, { role: 'user', content: 'recite' }]));

  expect(recited).toContain('patched the file');
  expect(recited).toContain('Nothing more.');
});
