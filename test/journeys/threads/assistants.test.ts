import OpenAI from 'openai';
import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN, textOf, WEBHOOK_SECRET } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey().override('settings', { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET });

type Assistant = { id: string; name: string; version: number; model_name: string; for: string };
type Accepted = { thread_id: string; response_id: string; turn_id: string };
type Inspection = {
  assistant: { id: string; name: string; version: number } | null;
  prompt: { system: string; tools: { name: string }[] };
  failure: { code: string; details?: { code: string } } | null;
};

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the body
async function call<T>(
  service: Service,
  route: string,
  body?: object,
  init: { method?: string; headers?: Record<string, string> } = {},
) {
  const method = body ? 'POST' : 'GET';
  const answer = await service.request(route, { method, ...init, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return { status: answer.status, body: (text ? JSON.parse(text) : undefined) as T };
}

const create = async (service: Service, asked: object, headers = {}) => {
  const made = await call<Assistant>(service, '/api/assistants', asked, { headers });
  expect(made).toMatchObject({ status: 201 });
  return made.body;
};
const change = (service: Service, { id }: Assistant, asked: object) =>
  call<Assistant>(service, `/api/assistants/${id}`, asked, { method: 'PATCH' });
const chat = async (service: Service, asked: object, headers = {}) =>
  (await call<Accepted & { message: string; status: string }>(service, '/api/chat', asked, { headers })).body;
const inspect = async (service: Service, responseId: string) =>
  (await call<Inspection>(service, `/api/turns/${turnOf(responseId)}`)).body;
const turnOf = (responseId: string) => {
  const hex = responseId.replace('resp_', '').slice(0, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

test('an assistant answers under the name of a model, with its instructions and no more than its tools', async ({
  service,
  model,
}) => {
  const research = await create(service, {
    name: 'research',
    description: 'Finds things out.',
    instructions: 'Name your sources.',
    tools: ['memory_search', 'memory_read'],
    memory: 'read',
  });
  expect(research).toMatchObject({ version: 1, model_name: 'agent/research', for: 'me' });

  const answered = await service.ask('say found', { model: research.model_name });
  expect(textOf(answered)).toBe('found');
  expect(answered.model).toBe('agent/research');
  const prompt = model.seen.at(-1);
  expect(prompt?.messages[0]?.text).toContain('You are now the assistant "research"');
  expect(prompt?.messages[0]?.text).toContain('Name your sources.');
  expect(prompt?.tools).toEqual(['memory_search', 'memory_read']);
  const called = await service.ask('use reborn_time {}', { model: research.model_name });
  expect(textOf(called)).toContain('no tool named');

  const inspected = await inspect(service, answered.id);
  expect(inspected.assistant).toEqual({ id: research.id, name: 'research', version: 1 });
  expect(inspected.prompt.system).toContain('Name your sources.');
  expect(inspected.prompt.tools.map(({ name }) => name)).toEqual(['memory_search', 'memory_read']);

  const listed = await call<{ data: { id: string }[] }>(service, '/api/v1/models');
  expect(listed.body.data.map(({ id }) => id)).toContain('agent/research');
  expect((await call(service, '/api/v1/models/agent%2Fresearch')).status).toBe(200);
  expect((await call(service, '/api/v1/models/agent%2Fnobody')).status).toBe(404);
  const unknown = await call(service, '/api/v1/responses', { model: 'agent/nobody', input: 'say hello' });
  expect(unknown).toMatchObject({ status: 400, body: { error: { param: 'model' } } });

  const usual = await service.ask('say usual', { model: 'other' });
  expect((await inspect(service, usual.id)).assistant).toBeNull();
});

test('the openai library finds an assistant in the list of models and uses it by its name', async ({ service }) => {
  await create(service, { name: 'librarian', instructions: 'You know all books.' });
  const openai = new OpenAI({ baseURL: `${service.url}/api/v1`, apiKey: TOKEN, maxRetries: 0 });
  const models = [];
  for await (const { id } of openai.models.list()) models.push(id);
  expect(models).toContain('agent/librarian');
  expect(await openai.models.retrieve('agent/librarian')).toMatchObject({ id: 'agent/librarian', object: 'model' });

  const first = await openai.responses.create({ model: 'agent/librarian', input: 'recite' });
  expect(first.output_text).toContain('You know all books.');
  const next = openai.responses.stream({
    model: 'agent/librarian',
    input: 'recite',
    previous_response_id: first.id,
  });
  expect((await next.finalResponse()).output_text).toContain('You know all books.');
  const chosen = await openai.chat.completions.create({
    model: 'agent/librarian',
    messages: [{ role: 'user', content: 'recite' }],
  });
  expect(chosen.choices[0]?.message.content).toContain('You know all books.');
  const count = async (model: string) =>
    (await openai.responses.inputTokens.count({ model, input: 'hi' })).input_tokens;
  expect(await count('agent/librarian')).toBeGreaterThan(await count('usual'));
  await expect(openai.responses.create({ model: 'agent/nobody', input: 'hi' })).rejects.toThrow(
    /no assistant "nobody"/,
  );
});

test('a mission is run by its assistant, and fails when there is none of that name any more', async ({ service }) => {
  const made = await create(service, { name: 'reporter', instructions: 'Report.' });
  const asked = { name: 'report', instruction: 'recite', schedule: { at: '2999-01-01T00:00', time_zone: 'UTC' } };
  const refused = await call(service, '/api/missions', { ...asked, assistant: 'nobody' });
  expect(refused).toMatchObject({ status: 400, body: { error: { param: 'assistant' } } });
  const { body: mission } = await call<{ id: string; assistant: string }>(service, '/api/missions', {
    ...asked,
    assistant: 'reporter',
  });
  expect(mission.assistant).toBe('reporter');
  type Run = { status: string; reason: string | null; turn_id: string | null };
  const route = `/api/missions/${mission.id}`;
  const runs = async () => (await call<{ occurrences: Run[] }>(service, `${route}/occurrences`)).body.occurrences;

  await call(service, `${route}/run`, {});
  const done = await waitFor('the run', async () => (await runs()).find(({ status }) => status === 'completed'));
  const { body } = await call<Inspection>(service, `/api/turns/${done.turn_id}`);
  expect(body.assistant).toMatchObject({ name: 'reporter' });
  expect(body.prompt.tools.map(({ name }) => name)).toContain('mission_no_result');
  await call(service, `/api/assistants/${made.id}`, undefined, { method: 'DELETE' });
  await call(service, `${route}/run`, {});
  const failed = await waitFor('the failed run', async () => (await runs()).find(({ status }) => status === 'failed'));
  expect(failed.reason).toBe('assistant_missing');
});

test('events of a webhook route are answered by its assistant', async ({ service }) => {
  const route = {
    name: 'alerts',
    verifier: 'shared-secret',
    webhook_user: 'alerts',
    message: 'recite {{words}}',
    secret: 'secret-of-the-sender',
  };
  const add = (assistant: string) => call(service, '/api/webhook-routes', { ...route, assistant });
  await create(service, { name: 'own-triage' });
  expect((await add('own-triage')).status).toBe(400); // the sender is another user
  await create(service, { name: 'triage', for: 'everyone', instructions: 'Sort it.' });
  expect(await add('triage')).toMatchObject({ status: 201, body: { assistant: 'triage' } });

  const sent = await service.webhook.request('/webhook/events/alerts', {
    method: 'POST',
    body: JSON.stringify({ words: 'a fire' }),
    headers: { 'x-webhook-secret': route.secret, 'content-type': 'application/json' },
  });
  const { job_id: id } = (await sent.json()) as { job_id: string };
  expect((await service.webhook.completed(id)).response).toContain('Sort it.');
});

test('a change takes effect with the next message, and each turn says which version it had', async ({ service }) => {
  const made = await create(service, { name: 'writer', instructions: 'Be long.' });
  const first = await chat(service, { message: 'say one', assistant: 'writer' });
  expect(await change(service, made, { instructions: 'Be short.' })).toMatchObject({ body: { version: 2 } });
  const second = await chat(service, { message: 'say two', thread_id: first.thread_id });

  expect((await inspect(service, first.response_id)).prompt.system).toContain('Be long.');
  const next = await inspect(service, second.response_id);
  expect(next.assistant).toMatchObject({ name: 'writer', version: 2 });
  expect(next.prompt.system).toContain('Be short.');
  expect(next.prompt.system).not.toContain('Be long.');
  const { body } = await call<{ versions: { version: number; instructions: string }[] }>(
    service,
    `/api/assistants/${made.id}/versions`,
  );
  expect(body.versions.map(({ version, instructions }) => [version, instructions])).toEqual([
    [2, 'Be short.'],
    [1, 'Be long.'],
  ]);
});

test('a thread keeps its assistant until another or none is chosen, and continues without one that was deleted', async ({
  service,
}) => {
  const made = await create(service, { name: 'keeper', instructions: 'Keep.' });
  await create(service, { name: 'other', instructions: 'Another.' });
  const send = async (asked: object) => {
    const { response_id: id } = await chat(service, { message: 'say yes', ...asked });
    return (await inspect(service, id)).assistant?.name;
  };
  const { thread_id } = await chat(service, { message: 'say yes', assistant: 'keeper' });

  expect(await send({ thread_id })).toBe('keeper');
  expect(await send({ thread_id, model: 'other' })).toBe('keeper');
  expect(await send({ thread_id, assistant: 'other' })).toBe('other');
  expect(await send({ thread_id, model: 'agent/keeper' })).toBe('keeper');
  expect(await send({ thread_id, assistant: null })).toBeUndefined();
  expect(await send({ thread_id })).toBeUndefined();
  await send({ thread_id, assistant: 'keeper' });
  expect((await call(service, `/api/assistants/${made.id}`, undefined, { method: 'DELETE' })).status).toBe(204);
  expect(await send({ thread_id })).toBeUndefined();
  expect((await call(service, '/api/chat', { message: 'say yes', assistant: 'keeper' })).status).toBe(400);
});

test('an answered gate continues with the version that asked', async ({ service }) => {
  const made = await create(service, { name: 'careful', tools: ['mission_run'], instructions: 'First words.' });
  const { thread_id } = await chat(service, { message: 'use mission_run {"id":"x"}', assistant: 'careful' });
  await change(service, made, { instructions: 'Second words.' });
  const { body: waiting } = await call<{ gates: { id: string; thread_id: string }[] }>(service, '/api/gates');
  const gate = waiting.gates.find((each) => each.thread_id === thread_id);
  const { body: answered } = await call<{ turn_id: string }>(service, `/api/gates/${gate?.id}`, { answer: 'deny' });
  const { body } = await call<Inspection>(service, `/api/turns/${answered.turn_id}`);
  expect(body.assistant).toMatchObject({ version: 1 });
  expect(body.prompt.system).toContain('First words.');
});

test("one user's assistant is no one else's, and only an operator shares one, which a person's own of that name hides", async ({
  service,
}) => {
  const { headers } = await addUser(service, 'Ann');
  await create(service, { name: 'private' });
  const shared = await create(service, { name: 'house', for: 'everyone', instructions: 'For all.' });
  const names = async () =>
    (await call<{ assistants: Assistant[] }>(service, '/api/assistants', undefined, { headers })).body.assistants;
  expect((await names()).map(({ name }) => name)).toContain('house');
  expect((await names()).every((each) => each.for === 'everyone')).toBe(true);

  const refused = await call(service, '/api/chat', { message: 'say hi', assistant: 'private' }, { headers });
  expect(refused).toMatchObject({ status: 400, body: { error: { param: 'assistant' } } });
  const attempt = await call(service, '/api/assistants', { name: 'mine', for: 'everyone' }, { headers });
  expect(attempt.status).toBe(403);
  const route = `/api/assistants/${shared.id}`;
  expect((await call(service, route, { instructions: 'x' }, { method: 'PATCH', headers })).status).toBe(403);
  expect((await call(service, route, undefined, { method: 'DELETE', headers })).status).toBe(403);
  expect((await call(service, `${route}/versions`, undefined, { headers })).status).toBe(200);

  const ofAll = await chat(service, { message: 'recite', assistant: 'house' }, headers);
  expect(ofAll.message).toContain('For all.');
  await create(service, { name: 'house', instructions: 'For Ann.' }, headers);
  const own = await chat(service, { message: 'recite', assistant: 'house' }, headers);
  expect(own.message).toContain('For Ann.');
  expect(own.message).not.toContain('For all.');
});

test('budgets of a run and of a day stop the next call, for each user apart', async ({ service, home }) => {
  const { headers } = await addUser(service, 'Spender');
  const budget = { for: 'everyone', tokens_per_day: 20, tools: ['reborn_time'] };
  await create(service, { name: 'thrifty', ...budget });
  await create(service, { name: 'terse', for: 'everyone', tokens_per_run: 15, tools: ['reborn_time'] });

  const run = await service.ask('use reborn_time {}', { model: 'agent/terse' });
  expect(run.error).toMatchObject({ code: 'budget_exceeded' }); // a call uses 15
  for (const expected of ['completed', 'completed', 'failed']) {
    const { status } = await service.ask('say yes', { model: 'agent/thrifty', store: false });
    expect(status).toBe(expected);
  }
  expect((await chat(service, { message: 'say yes', assistant: 'thrifty' }, headers)).status).toBe('completed');
  const days = await home.query('select user_id, sum(tokens)::integer as tokens from work_days group by 1 order by 2');
  expect(days.map((row) => (row as { tokens: number }).tokens)).toEqual([15, 30]);
});

test('the notes of its own assistant stay in its folder, and without memory it knows nothing about the person', async ({
  service,
}) => {
  await create(service, { name: 'scribe', memory: 'own' });
  await create(service, { name: 'stranger', memory: 'none' });
  await call(service, '/api/memory/identity/user', { text: 'Likes bees.' }, { method: 'PUT' });

  const outside = await service.ask('use memory_write {"path":"people/ann","text":"x"}', { model: 'agent/scribe' });
  expect(textOf(outside)).toContain('only below assistants/scribe/');
  const inside = await service.ask('use memory_write {"path":"assistants/scribe/ann","text":"x"}', {
    model: 'agent/scribe',
  });
  expect(textOf(inside)).toContain('"path":"assistants/scribe/ann"');
  expect(textOf(await service.ask('recite', { model: 'agent/scribe' }))).toContain('Likes bees.');
  expect(textOf(await service.ask('recite', { model: 'agent/stranger' }))).not.toContain('Likes bees.');
});

test('no tool of the agent can make or change an assistant', async ({ service }) => {
  const { body } = await call<{ tools: { name: string }[] }>(service, '/api/tools');
  const named = body.tools.map(({ name }) => name).filter((name) => /assistant|agent/.test(name));
  expect(named).toEqual(['reborn_agent_run']); // it runs as one, and changes none
});

test('the versions of a deleted assistant stay while a turn names them, and its name is free', async ({
  service,
  home,
}) => {
  const made = await create(service, { name: 'gone' });
  const { thread_id } = await chat(service, { message: 'say bye', assistant: 'gone' });
  await call(service, `/api/assistants/${made.id}`, undefined, { method: 'DELETE' });
  await create(service, { name: 'gone' }); // the name is free
  const rows = async () => (await home.query(`select from assistant_versions where assistant = '${made.id}'`)).length;
  expect(await rows()).toBe(1);
  const turns = await home.query(`select assistant from turns where thread_id = '${thread_id}'`);
  expect(turns).toEqual([{ assistant: made.id }]);
});

test('an export and a shared thread have the name of the assistant above its answers', async ({ service }) => {
  await create(service, { name: 'herald' });
  const { thread_id: id } = await chat(service, { message: 'say hear', assistant: 'herald' });
  await chat(service, { message: 'say usual', thread_id: id, assistant: null });

  const exported = await (await service.request(`/api/threads/${id}/export`)).text();
  expect([...exported.matchAll(/^## (\w+) \(/gm)].map(([, name]) => name)).toEqual(['You', 'herald', 'You', 'Reborn']);
  const body = { include_tools: false, include_attachments: false };
  const { body: made } = await call<{ url: string }>(service, `/api/threads/${id}/share`, body, { method: 'PUT' });
  const read = await call<{ items: object[] }>(service, `/api/shared/${made.url.split('/').at(-1)}`);
  expect(read.body.items).toMatchObject([{ role: 'user' }, { assistant: 'herald' }, { role: 'user' }, {}]);
  expect(read.body.items.at(-1)).not.toHaveProperty('assistant');
});
