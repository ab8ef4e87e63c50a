import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';

const test = journey();

type Project = { id: string; name: string };
type Thread = { id: string; project_id: string | null };

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the body
async function call<T>(service: Service, method: string, route: string, body?: object, headers = {}) {
  const answer = await service.request(route, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return { status: answer.status, body: (text ? JSON.parse(text) : undefined) as T };
}

async function newThread(service: Service, title: string): Promise<string> {
  const { body } = await call<{ thread_id: string }>(service, 'POST', '/api/chat', { message: `say ${title}` });
  return body.thread_id;
}

const idsIn = async (service: Service, project: string) =>
  (await call<{ threads: Thread[] }>(service, 'GET', `/api/threads?project=${project}`)).body.threads.map(
    ({ id }) => id,
  );

test('threads are moved into projects and listed by them, and a deleted project leaves its threads', async ({
  service,
}) => {
  const [one, other] = [await newThread(service, 'one'), await newThread(service, 'other')];
  const { body: work } = await call<Project>(service, 'POST', '/api/projects', { name: '  Work\u0000\n' });
  expect(work.name).toBe('Work');
  await call(service, 'POST', '/api/projects', { name: 'art' });
  const { body: list } = await call<{ projects: Project[] }>(service, 'GET', '/api/projects');
  expect(list.projects.map(({ name }) => name)).toEqual(['art', 'Work']);

  const moved = await call<Thread>(service, 'PATCH', `/api/threads/${one}`, { project_id: work.id });
  expect(moved.body.project_id).toBe(work.id);
  expect(await idsIn(service, work.id)).toEqual([one]);
  expect(await idsIn(service, 'none')).toEqual([other]);

  const renamed = await call<Project>(service, 'PATCH', `/api/projects/${work.id}`, { name: 'work' });
  expect(renamed.body.name).toBe('work');
  expect((await call(service, 'PATCH', `/api/projects/${work.id}`, { name: 'ART' })).status).toBe(409);
  expect((await call(service, 'POST', '/api/projects', { name: 'Art' })).status).toBe(409);
  expect((await call(service, 'POST', '/api/projects', { name: ' \u0000 ' })).status).toBe(400);

  await call(service, 'PATCH', `/api/threads/${one}`, { project_id: null });
  expect(await idsIn(service, work.id)).toEqual([]);
  await call(service, 'PATCH', `/api/threads/${one}`, { project_id: work.id });
  expect((await call(service, 'DELETE', `/api/projects/${work.id}`)).status).toBe(204);
  expect(await idsIn(service, 'none')).toEqual([other, one]);
});

test("a user can't see, use or change the projects of another user", async ({ service }) => {
  const { body: mine } = await call<Project>(service, 'POST', '/api/projects', { name: 'Private' });
  const { headers } = await addUser(service, 'Ann');
  expect(
    (await call<{ projects: Project[] }>(service, 'GET', '/api/projects', undefined, headers)).body.projects,
  ).toEqual([]);
  const chat = await call<{ thread_id: string }>(service, 'POST', '/api/chat', { message: 'say hello' }, headers);
  const moved = await call(service, 'PATCH', `/api/threads/${chat.body.thread_id}`, { project_id: mine.id }, headers);
  expect(moved).toMatchObject({ status: 400, body: { error: { param: 'project_id' } } });
  expect((await call(service, 'PATCH', `/api/projects/${mine.id}`, { name: 'x' }, headers)).status).toBe(404);
  expect((await call(service, 'DELETE', `/api/projects/${mine.id}`, undefined, headers)).status).toBe(404);
});

test('the assistant of a project answers in its new threads, unless the message names another', async ({ service }) => {
  const { body: research } = await call<{ id: string }>(service, 'POST', '/api/assistants', { name: 'research' });
  const { body: work } = await call<Project>(service, 'POST', '/api/projects', { name: 'Work' });
  const unknown = await call(service, 'PATCH', `/api/projects/${work.id}`, { assistant: 'nobody' });
  expect(unknown).toMatchObject({ status: 400, body: { error: { param: 'assistant' } } });
  const changed = await call(service, 'PATCH', `/api/projects/${work.id}`, { assistant: 'research' });
  expect(changed.body).toMatchObject({ assistant: 'research', model: null });

  const begin = async (more: object = {}) => {
    const message = { message: 'say hello', project_id: work.id, ...more };
    const { body } = await call<{ thread_id: string }>(service, 'POST', '/api/chat', message);
    return (await call<{ assistant: string | null }>(service, 'GET', `/api/threads/${body.thread_id}`)).body.assistant;
  };
  expect(await begin()).toBe('research');
  expect(await begin({ model: 'default' })).toBe('research');
  expect(await begin({ assistant: null })).toBeNull();
  expect(await begin({ project_id: null })).toBeNull();

  await call(service, 'DELETE', `/api/assistants/${research.id}`);
  expect(await begin()).toBeNull();
});
