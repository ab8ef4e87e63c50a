import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Answer, isSummaryPrompt, startScriptedModel } from '../../support/scripted-model.ts';
import { type Service, textOf, WEBHOOK_SECRET } from '../../support/service.ts';

const test = journey().override('settings', {
  LLM_CONTEXT_TOKENS: '6000',
  RESPONSES_TIMEOUT_SECS: '4',
  LLM_RETRY_SECS: '1',
});

type Compacted = {
  id: string;
  object: string;
  created_at: number;
  output: { id: string; type: string; encrypted_content: string }[];
  usage: { total_tokens: number };
  error: { code: string; param: string | null; type: string };
};

async function compact(service: Service, body: object, headers: Record<string, string> = {}) {
  const response = await service.request('/v1/responses/compact', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', ...body }),
    headers,
  });
  return { status: response.status, body: (await response.json()) as Compacted };
}

const user = (content: string) => ({ role: 'user', content });
const assistant = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const history = [user('Hello.\nfact: the harbour master is Ingrid'), assistant('Noted.')];

test('a conversation is compacted into one item that later requests continue from', async ({ service, model }) => {
  const { status, body } = await compact(service, { input: history, prompt_cache_key: 'ignored' });
  expect([status, body]).toMatchObject([
    200,
    { object: 'response.compaction', output: [{ type: 'compaction' }], usage: { total_tokens: 15 } },
  ]);
  expect(model.seen.at(-1)?.tools).toEqual([]);
  expect(JSON.stringify(body)).not.toContain('Ingrid');

  const recited = await service.ask([...body.output, user('recite')], { instructions: 'Be brief.' });
  const prompt = model.seen.at(-1)?.messages.slice(1) ?? [];
  expect(prompt.map(({ role }) => role)).toEqual(['user', 'user']);
  expect(prompt[0]?.text).toMatch(
    /^<user-context>\n.*\nin short\nfact: the harbour master is Ingrid\n<\/user-context>$/s,
  );
  expect(prompt[1]?.text).toBe('<instructions>\nBe brief.\n</instructions>\n\nrecite');
  expect(textOf(recited)).toContain('Ingrid');
  const items = await service.request(`/v1/responses/${recited.id}/input_items?order=asc`);
  expect(await items.json()).toMatchObject({
    data: [{ type: 'compaction', encrypted_content: body.output[0]?.encrypted_content }, { type: 'message' }],
  });

  const again = await compact(service, { input: [...body.output, user('fact: the pier is closed')] });
  const later = await service.ask([...again.body.output, user('recite')]);
  expect(textOf(later)).toMatch(/Ingrid.*pier/s);
});

test('the thread of a response is compacted with its summary, and stays as it is', async ({ service, model }) => {
  const filler = 'and so the day went on, with nothing much to say about it. '.repeat(20);
  let last = await service.ask(`say noted\nfact: the boat is red\n${filler}`);
  while (
    !model.seen.some(isSummaryPrompt) ||
    !model.seen.some(({ messages }) => messages[1]?.text.includes('in short\nfact: the boat'))
  )
    last = await service.ask(`say yes ${filler}`, { previous_response_id: last.id });
  const before = model.seen.length;

  const { status, body } = await compact(service, { previous_response_id: last.id, input: 'fact: the tide is low' });
  expect(status).toBe(200);
  expect(model.seen.length).toBeGreaterThan(before);

  const fresh = await service.ask([...body.output, user('recite')]);
  expect(textOf(fresh)).toMatch(/the boat is red.*the tide is low/s);
  expect(textOf(await service.ask('say still here', { previous_response_id: last.id }))).toBe('still here');
});

test('a summary that is asked for begins the next turn that can write one, and the thread says so until then', async ({
  service,
  model,
}) => {
  const first = await service.ask(`say noted\nfact: the buoy is yellow\n${'It was a quiet day at sea. '.repeat(200)}`);
  const listed = (await (await service.request('/api/threads?limit=1')).json()) as { threads: Asked[] };
  const threadId = String(listed.threads[0]?.id);
  const answerOf = async (method: string, path = '', headers = {}) => {
    const response = await service.request(`/api/threads/${threadId}${path}`, { method, headers });
    return { status: response.status, body: (await response.json()) as Asked };
  };
  const isAsked = async () => (await answerOf('GET')).body.compact_asked;
  const wish = (method: string, headers = {}) => answerOf(method, '/compact', headers);

  const { headers } = await addUser(service, 'mallory');
  expect((await wish('POST', headers)).status).toBe(404);
  expect(await wish('POST')).toMatchObject({ status: 200, body: { id: threadId, compact_asked: true } });
  expect((await wish('POST')).status).toBe(200);
  expect((await wish('DELETE')).body.compact_asked).toBeUndefined();
  expect((await wish('POST')).status).toBe(200);

  model.hooks.onPrompt = (prompt) => {
    if (isSummaryPrompt(prompt)) throw new Error('cuts the line');
  };
  const failed = await service.ask('recite', { previous_response_id: first.id });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'model_error' } });
  expect(await isAsked()).toBe(true);
  delete model.hooks.onPrompt;

  const before = model.seen.length;
  const said = textOf(await service.ask('recite', { previous_response_id: failed.id }));
  expect(model.seen.slice(before).map(isSummaryPrompt)).toEqual([true, false]);
  expect(said).toContain('the buoy is yellow');
  expect(said).not.toContain('quiet day');
  expect(await isAsked()).toBeUndefined();
  expect(await wish('POST')).toMatchObject({ status: 409, body: { error: { code: 'nothing_to_compact' } } });
});

type Asked = { readonly id: string; readonly compact_asked?: true };

test('a conversation that is longer than the model can read is summarised in steps', async ({ service, model }) => {
  const filler = 'many words that the model must read, one after the other. '.repeat(60);
  const input = Array.from({ length: 30 }, (_, index) => user(`fact: number ${index}\n${filler}`));
  const before = model.seen.length;

  const { status, body } = await compact(service, { input });

  expect([status, body.error]).toEqual([200, undefined]);
  const asked = model.seen.slice(before);
  expect(asked.length).toBeGreaterThan(2);
  expect(Math.max(...asked.map(({ bytes }) => bytes))).toBeLessThan(6000 * 4);
  expect(textOf(await service.ask([...body.output, user('recite')]))).toMatch(/number 0.*number 29/s);
  expect(body.usage.total_tokens).toBe(15 * asked.length);
});

test('calls, outputs and images of the conversation are summarised, also without an answer to the last call', async ({
  service,
  model,
}) => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'lookup', arguments: '{"city":"Oslo"}' };
  const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
  const linked = { type: 'input_image', image_url: 'https://example.com/a.png' };
  const { status } = await compact(service, {
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'look' }, image, linked] },
      call,
      { type: 'function_call_output', call_id: 'call_1', output: 'snow' },
      { ...call, call_id: 'call_2' },
    ],
    instructions: 'Speak like a sailor.',
  });

  const prompt = model.seen.at(-1)?.messages.at(-1)?.text;
  expect(status).toBe(200);
  for (const said of [
    'Speak like a sailor.',
    '[image: image/png]',
    '[image: image/unknown]',
    'calls lookup',
    '[result]\nsnow',
  ])
    expect(prompt).toContain(said);
});

test('a changed, foreign or overlong compaction is refused and names its field', async ({ service }) => {
  const { body } = await compact(service, { input: history });
  const [item] = body.output;
  const sealed = item?.encrypted_content ?? '';
  const { headers } = await addUser(service, 'eve');
  const param = 'input[1].encrypted_content';

  for (const [changed, as] of [
    [`${sealed.slice(0, -4)}AAAA`, {}],
    ['', {}],
    [42, {}],
    ['A'.repeat(10_485_761), {}],
    [sealed, headers],
  ] as const) {
    const input = [user('hello'), { type: 'compaction', id: 'cmp_1', encrypted_content: changed }];
    const created = await service.request('/v1/responses', {
      method: 'POST',
      body: JSON.stringify({ model: 'm', input }),
      headers: as,
    });
    expect([created.status, await created.json()]).toMatchObject([400, { error: { code: 'invalid_request', param } }]);
    expect(await compact(service, { input }, as)).toMatchObject({ status: 400, body: { error: { param } } });
  }
});

test('invalid bodies are refused, and an unknown response is 404', async ({ service }) => {
  const refused = async (body: object) => {
    const { status, body: answer } = await compact(service, body);
    return [status, answer.error.param];
  };
  expect(await refused({ model: undefined, input: 'x' })).toEqual([400, 'model']);
  expect(await refused({})).toEqual([400, 'input']);
  expect(await refused({ input: [] })).toEqual([400, 'input']);
  expect(await refused({ input: 'x', instructions: 1 })).toEqual([400, 'instructions']);
  expect(await refused({ previous_response_id: 'resp_1' })).toEqual([400, 'previous_response_id']);
  expect(await refused({ previous_response_id: `resp_${'0'.repeat(64)}` })).toEqual([404, null]);
});

test('the same Idempotency-Key gives the same compaction, and another route or body is refused', async ({
  service,
  model,
}) => {
  const headers = { 'idempotency-key': 'compact-1' };
  const before = model.seen.length;
  const [first, second] = await Promise.all([
    compact(service, { input: history }, headers),
    compact(service, { input: history }, headers),
  ]);

  expect(second).toEqual(first);
  expect(model.seen).toHaveLength(before + 1);
  const body = JSON.stringify({ model: 'm', input: history });
  expect((await service.request('/v1/responses', { method: 'POST', body, headers })).status).toBe(409);
  expect((await compact(service, { input: 'another' }, headers)).status).toBe(409);
});

test('the thread of a compaction is deleted with its delivery, or after an hour if the request had a key', async ({
  service,
  home,
}) => {
  const kept = () => home.query<{ id: string }>("select id from turns where request->>'task' = 'compaction'");
  const before = await kept();
  await compact(service, { input: history });
  await compact(service, { input: '' });
  expect(await kept()).toEqual(before);

  await compact(service, { input: history }, { 'idempotency-key': 'compact-2' });
  const keyed = (await kept()).find(({ id }) => !before.some((other) => other.id === id));
  const marks = await home.query(`select from unstored_turns where turn_id = '${keyed?.id}'`);
  expect(marks).toHaveLength(1);
});

test('a failed compaction is an error, and so is one that takes too long', async ({ startAnother }) => {
  const ends: [Answer, object][] = [
    [{ pieces: [] }, { status: 400, body: { error: { code: 'model_error', type: 'invalid_request_error' } } }],
    [{ hang: true }, { status: 400, body: { error: { code: 'turn_timeout' } } }],
  ];
  for (const [answer, error] of ends) {
    const broken = await startScriptedModel({ decide: () => answer });
    const service = await startAnother({ LLM_BASE_URL: broken.url });
    expect(await compact(service, { input: history })).toMatchObject(error);
    await Promise.all([service.close(), broken.close()]);
  }
});

type Operation = { parameters?: { name: string }[] };

test('every route that takes an Idempotency-Key answers when its turn fails, and so it does the second time', async ({
  startAnother,
}) => {
  const broken = await startScriptedModel({ decide: () => ({ status: 400 }) });
  const service = await startAnother({ LLM_BASE_URL: broken.url, HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET });
  const post = async (route: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', body: JSON.stringify({ model: 'm', ...body }), headers };
    const send = route === '/webhook' ? service.webhook.request : service.request;
    const answer = await send(route, { ...init, headers: { 'content-type': 'application/json', ...headers } });
    return { status: answer.status, text: await answer.text() };
  };
  const ask = { input: history };
  const chat = { messages: history.slice(0, 1) };
  const { thread_id: thread } = JSON.parse((await post('/api/chat', { message: 'hi' })).text) as { thread_id: string };
  const items = (await (await service.request(`/api/threads/${thread}/items`)).json()) as { items: { id: string }[] };
  const schedule = { at: '2999-01-01T00:00', time_zone: 'UTC' };
  const mission = JSON.parse((await post('/api/missions', { name: 'm', instruction: 'x', schedule })).text) as object;
  const bodies: Record<string, readonly object[]> = {
    '/api/v1/responses': [ask, { ...ask, stream: true }, { ...ask, background: true }],
    '/api/v1/responses/compact': [ask],
    '/api/v1/chat/completions': [
      { ...chat, store: true },
      { ...chat, store: true, stream: true },
    ],
    '/api/chat': [{ message: 'hi' }],
    '/api/chat/send': [{ message: 'hi' }],
    '/api/threads/{id}/items/{item}/versions': [{}],
    '/api/missions/{id}/run': [{}],
    '/webhook': [{ user_id: 'ann', message: 'hi' }],
  };
  const { paths } = (await (await service.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const keyed = Object.entries(paths).flatMap(([path, operations]) =>
    operations['post']?.parameters?.some(({ name }) => name === 'Idempotency-Key') ? path : [],
  );
  expect(keyed.toSorted()).toEqual(Object.keys(bodies).toSorted());

  for (const [path, asked] of Object.entries(bodies))
    for (const [index, body] of asked.entries()) {
      const id = path.startsWith('/api/missions') ? (mission as { id: string }).id : thread;
      const route = path.replace('{id}', id).replace('{item}', items.items[0]?.id ?? '');
      const headers = { 'idempotency-key': `${path} ${index}` };
      const [first, second] = [await post(route, body, headers), await post(route, body, headers)];
      if (first.status >= 500) throw new Error(`${path}: ${first.text}`);
      expect([path, second.status, idIn(second.text)]).toEqual([path, first.status, idIn(first.text)]);
    }
  await Promise.all([service.close(), broken.close()]);
});

const idIn = (text: string) => /[0-9a-f-]{32,}/.exec(text)?.[0];

test('a compaction counts toward the budget of its user, and is refused beyond it', async ({ service, home }) => {
  const { id, headers } = await addUser(service, 'spender');
  const limits = { tokens_per_day: 15, usd_per_day: null };
  await service.request(`/api/users/${id}/limits`, { method: 'PUT', body: JSON.stringify(limits) });

  expect((await compact(service, { input: history }, headers)).status).toBe(200);
  const [spent] = await home.query<{ tokens: number }>(
    `select sum(input_tokens + output_tokens)::int as tokens from usage_days where user_id = '${id}'`,
  );
  expect(spent).toEqual({ tokens: 15 });
  const refused = await compact(service, { input: history }, headers);
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'budget_exceeded' } } });
});

test('a prompt above compact_threshold is compacted, and the summary is the first item of the reply', async ({
  service,
}) => {
  const filler = 'and so the day went on, with nothing much to say about it. '.repeat(12);
  const more = { context_management: [{ type: 'compaction', compact_threshold: 3000 }] };
  let last = await service.ask(`say noted\nfact: the mast is green\n${filler}`, more);
  while (last.output.length === 1)
    last = await service.ask(`say yes ${filler}`, { ...more, previous_response_id: last.id });

  expect(last.output.map(({ type }) => type)).toEqual(['compaction', 'message']);
  expect((await service.get(last.id)).output).toEqual(last.output);
  const streamed = await (await service.request(`/v1/responses/${last.id}?stream=true`)).text();
  const added = [...streamed.matchAll(/^data: (.*)$/gm)]
    .map(([, json = '']) => JSON.parse(json) as { type: string; output_index: number; item: { type: string } })
    .filter(({ type }) => type === 'response.output_item.added');
  expect(added.map(({ output_index, item }) => [output_index, item.type])).toEqual([
    [0, 'compaction'],
    [1, 'message'],
  ]);

  const replayed = await service.ask([...last.output, user('recite')]);
  expect(textOf(replayed)).toContain('the mast is green');
  const continued = await service.ask('recite', { previous_response_id: last.id });
  expect(textOf(continued).split('the mast is green')).toHaveLength(2);
  const refused = { input: 'x', context_management: [{ type: 'compaction', compact_threshold: 1 }] };
  expect((await service.post(refused)).status).toBe(400);
});
