import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';

const test = journey();

type Folder = { id: string; name: string };
type Thread = { id: string; folder_id: string | null };

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

const idsIn = async (service: Service, folder: string) =>
  (await call<{ threads: Thread[] }>(service, 'GET', `/api/threads?folder=${folder}`)).body.threads.map(({ id }) => id);

test('threads are moved into folders and listed by them, and a deleted folder leaves its threads', async ({
  service,
}) => {
  const [one, other] = [await newThread(service, 'one'), await newThread(service, 'other')];
  const { body: work } = await call<Folder>(service, 'POST', '/api/folders', { name: '  Work\u0000\n' });
  expect(work.name).toBe('Work');
  await call(service, 'POST', '/api/folders', { name: 'art' });
  const { body: list } = await call<{ folders: Folder[] }>(service, 'GET', '/api/folders');
  expect(list.folders.map(({ name }) => name)).toEqual(['art', 'Work']);

  const moved = await call<Thread>(service, 'PATCH', `/api/threads/${one}`, { folder_id: work.id });
  expect(moved.body.folder_id).toBe(work.id);
  expect(await idsIn(service, work.id)).toEqual([one]);
  expect(await idsIn(service, 'none')).toEqual([other]);

  const renamed = await call<Folder>(service, 'PATCH', `/api/folders/${work.id}`, { name: 'work' });
  expect(renamed.body.name).toBe('work');
  expect((await call(service, 'PATCH', `/api/folders/${work.id}`, { name: 'ART' })).status).toBe(409);
  expect((await call(service, 'POST', '/api/folders', { name: 'Art' })).status).toBe(409);
  expect((await call(service, 'POST', '/api/folders', { name: ' \u0000 ' })).status).toBe(400);

  await call(service, 'PATCH', `/api/threads/${one}`, { folder_id: null });
  expect(await idsIn(service, work.id)).toEqual([]);
  await call(service, 'PATCH', `/api/threads/${one}`, { folder_id: work.id });
  expect((await call(service, 'DELETE', `/api/folders/${work.id}`)).status).toBe(204);
  expect(await idsIn(service, 'none')).toEqual([other, one]);
});

test("a user can't see, use or change the folders of another user", async ({ service }) => {
  const { body: mine } = await call<Folder>(service, 'POST', '/api/folders', { name: 'Private' });
  const { headers } = await addUser(service, 'Ann');
  expect((await call<{ folders: Folder[] }>(service, 'GET', '/api/folders', undefined, headers)).body.folders).toEqual(
    [],
  );
  const chat = await call<{ thread_id: string }>(service, 'POST', '/api/chat', { message: 'say hello' }, headers);
  const moved = await call(service, 'PATCH', `/api/threads/${chat.body.thread_id}`, { folder_id: mine.id }, headers);
  expect(moved).toMatchObject({ status: 400, body: { error: { param: 'folder_id' } } });
  expect((await call(service, 'PATCH', `/api/folders/${mine.id}`, { name: 'x' }, headers)).status).toBe(404);
  expect((await call(service, 'DELETE', `/api/folders/${mine.id}`, undefined, headers)).status).toBe(404);
});
