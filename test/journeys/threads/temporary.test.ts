import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey().override({ parts: { purgeThreadsEveryMs: 100 } });

type Thread = { id: string; title: string; temporary?: true };
type Sent = { thread_id: string; response_id: string; status: string; message: string };

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what comes
async function call<T = Record<string, never>>(service: Service, method: string, route: string, body?: object) {
  const response = await service.request(route, { method, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, json: (text.startsWith('{') ? JSON.parse(text) : {}) as T };
}

async function chat(service: Service, message: string, more: object = {}): Promise<Sent> {
  const { status, json } = await call<Sent>(service, 'POST', '/api/chat', { message, ...more });
  expect([status, json.status]).toEqual([200, 'completed']);
  return json;
}

const threadOf = async (service: Service, id: string) => call<Thread>(service, 'GET', `/api/threads/${id}`);

test('a temporary thread says so, and so does a copy of it', async ({ service }) => {
  const { thread_id: id } = await chat(service, 'say hello', { temporary: true });
  const { thread_id: usual } = await chat(service, 'say hello');
  const fork = await call<Thread>(service, 'POST', `/api/threads/${id}/fork`, {});

  expect((await threadOf(service, id)).json.temporary).toBe(true);
  expect((await threadOf(service, fork.json.id)).json.temporary).toBe(true);
  expect((await threadOf(service, usual)).json).not.toHaveProperty('temporary');
});

test('only a new thread can be made temporary', async ({ service }) => {
  const { thread_id: id } = await chat(service, 'say hello');
  const again = { message: 'say again', thread_id: id, temporary: true };

  expect(await call(service, 'POST', '/api/chat/send', again)).toMatchObject({
    status: 400,
    json: { error: { param: 'temporary' } },
  });
  expect((await threadOf(service, id)).json).not.toHaveProperty('temporary');
});

test('no turn of it reads or writes memory, also when another interface continues it', async ({ service, model }) => {
  await call(service, 'PUT', '/api/memory/identity/user', { text: 'Likes marmalade.' });
  await call(service, 'PUT', '/api/memory/identity/agent', { text: 'Answer in verse.' });
  const readPrompt = () => {
    const { messages = [], tools = [] } = model.seen.at(-1) ?? {};
    const system = messages.flatMap(({ role, text }) => (role === 'system' ? text : [])).join('\n');
    return { system, tools: tools.filter((name) => name.startsWith('memory_')) };
  };
  const { thread_id: id } = await chat(service, 'say hello', { temporary: true });
  const prompts = [readPrompt()];
  await chat(service, 'say more', { thread_id: id });
  prompts.push(readPrompt());
  const { response_id: previous } = await chat(service, 'say once more', { thread_id: id });
  await service.ask('say it there', { previous_response_id: previous });
  prompts.push(readPrompt());
  for (const { system, tools } of prompts) {
    expect(system).toContain('Answer in verse.');
    expect(system).not.toContain('marmalade');
    expect(tools).toEqual([]);
  }
  await chat(service, 'use memory_write {"path":"people/ann","text":"Ann likes tea."}', { thread_id: id });
  expect((await call(service, 'GET', '/api/memory/people/ann')).status).toBe(404);

  await chat(service, 'say hello');
  expect(readPrompt().system).toContain('marmalade');
  expect(readPrompt().tools).toContain('memory_write');
});

test('for a person who wants nothing new remembered, the agent reads notes and writes none', async ({
  service,
  model,
}) => {
  const write = 'use memory_write {"path":"people/eli","text":"Eli likes tea."}';
  const prefer = (remembers: boolean) => call<{ preferences: object }>(service, 'PATCH', '/api/me', { remembers });
  expect((await prefer(false)).json.preferences).toMatchObject({ remembers: false });
  await chat(service, write);
  const { tools = [] } = model.seen.at(-1) ?? {};
  expect(tools).toContain('memory_search');
  expect(tools).not.toContain('memory_write');
  expect((await call(service, 'GET', '/api/memory/people/eli')).status).toBe(404);
  expect((await call(service, 'PUT', '/api/memory/people/eli', { text: 'By hand.' })).status).toBe(200);

  await prefer(true);
  await chat(service, write);
  expect((await call<{ text: string }>(service, 'GET', '/api/memory/people/eli')).json.text).toBe('Eli likes tea.');
});

test('it gets no title from a model and is in no search', async ({ service, home }) => {
  const { thread_id: id } = await chat(service, 'say quixotic', { temporary: true });
  const { thread_id: usual } = await chat(service, 'say quixotic');
  const found = await call<{ threads: Thread[] }>(service, 'GET', '/api/threads?q=quixotic');
  const messages = await call<{ messages: { thread_id: string }[] }>(service, 'GET', '/api/search?q=quixotic');

  expect(found.json.threads.map((thread) => thread.id)).toEqual([usual]);
  expect(JSON.stringify(messages.json)).toContain(usual);
  expect(JSON.stringify(messages.json)).not.toContain(id);
  expect(await home.query('select from title_requests where thread_id = $1', [id])).toEqual([]);
  const { json } = await call<{ threads: Thread[] }>(service, 'GET', '/api/threads');
  expect(json.threads.map((thread) => thread.id)).toContain(id); // the list still has it
});

test('it is deleted 24 hours after its last message, and no other thread is', async ({ service, home }) => {
  const [old, usual, fresh] = [
    await chat(service, 'say old', { temporary: true }),
    await chat(service, 'say usual'),
    await chat(service, 'say fresh', { temporary: true }),
  ].map(({ thread_id: id }) => id) as [string, string, string];
  const age = (id: string, hours: string) =>
    home.query('update threads set updated_at = now() - $2::interval where id = $1', [id, hours]);
  await age(usual, '25 hours');
  await age(fresh, '23 hours');
  await age(old, '25 hours');
  await waitFor('it to be deleted', async () => (await threadOf(service, old)).status === 404);

  expect(await home.query('select from items where thread_id = $1', [old])).toEqual([]);
  expect((await threadOf(service, usual)).status).toBe(200);
  expect((await threadOf(service, fresh)).status).toBe(200);
});
