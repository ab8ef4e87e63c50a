import OpenAI, { toFile } from 'openai';
import { expect } from 'vitest';
import {
  containerFileObject,
  containerFilePage,
  containerObject,
  containerPage,
} from '#channels/containers/container-object.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey()
  .override('settings', { WORKSPACE_QUOTA_MB: '1' })
  .override('parts', { attachmentSweep: { graceMs: 3_600_000, everyMs: 100 } });

const connect = (service: Service, apiKey = TOKEN) =>
  new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 });

const csv = (text: string, name = 'costs.csv') => toFile(Buffer.from(text), name);

test('a container holds files until it is deleted', async ({ service }) => {
  const { containers } = connect(service);
  const made = containerObject.parse(await containers.create({ name: 'reports', memory_limit: '4g' }));
  expect(made).toMatchObject({ name: 'reports', status: 'running' });
  expect(made).not.toHaveProperty('expires_after');

  const first = containerFileObject.parse(await containers.files.create(made.id, { file: await csv('a,b\n1,2\n') }));
  expect(first).toMatchObject({ path: '/mnt/data/costs.csv', bytes: 8, source: 'user', container_id: made.id });
  const again = await containers.files.create(made.id, { file: await csv('a,b\n') });
  expect(again).toMatchObject({ id: first.id, bytes: 4 });
  await containers.files.create(made.id, { file: await csv('x', 'notes.txt') });

  const page = containerFilePage.parse(await (await service.request(`/v1/containers/${made.id}/files?limit=1`)).json());
  expect(page).toMatchObject({ data: [{ path: '/mnt/data/notes.txt' }], has_more: true });
  const paths = [];
  for await (const { path } of containers.files.list(made.id, { limit: 1, order: 'asc' })) paths.push(path);
  expect(paths).toEqual(['/mnt/data/costs.csv', '/mnt/data/notes.txt']);

  const content = await containers.files.content.retrieve(first.id, { container_id: made.id });
  expect(await content.text()).toBe('a,b\n');
  expect(await containers.files.retrieve(first.id, { container_id: made.id })).toEqual(again);
  await containers.files.delete(first.id, { container_id: made.id });
  await expect(containers.files.retrieve(first.id, { container_id: made.id })).rejects.toMatchObject({ status: 404 });

  expect(containerPage.parse(await (await service.request('/v1/containers?name=reports')).json()).data).toHaveLength(1);
  await containers.delete(made.id);
  await expect(containers.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  await expect(containers.files.list(made.id)).rejects.toMatchObject({ status: 404 });
});

test('a container begins with uploaded files, and takes others by their id', async ({ service }) => {
  const client = connect(service);
  const upload = await client.files.create({ file: await csv('1'), purpose: 'user_data' });
  const made = await client.containers.create({ name: 'c', file_ids: [upload.id] });
  const { data } = await client.containers.files.list(made.id);
  expect(data).toMatchObject([{ path: '/mnt/data/costs.csv', bytes: 1 }]);
  const other = await client.files.create({ file: await csv('22', 'two.csv'), purpose: 'user_data' });
  expect(await client.containers.files.create(made.id, { file_id: other.id })).toMatchObject({ bytes: 2 });
  const json = await service.request(`/v1/containers/${made.id}/files`, {
    method: 'POST',
    body: JSON.stringify({ file_id: other.id }),
  });
  expect(await json.json()).toMatchObject({ path: '/mnt/data/two.csv' });
  const unknown = `file-${'0'.repeat(32)}`;
  await expect(client.containers.create({ name: 'c', file_ids: [unknown] })).rejects.toMatchObject({ status: 404 });
  await expect(client.containers.files.create(made.id, {})).rejects.toMatchObject({ status: 400, param: 'file' });
});

test('JSON that names a file is checked like any other JSON', async ({ service }) => {
  const client = connect(service);
  const upload = await client.files.create({ file: await csv('1'), purpose: 'user_data' });
  const { id } = await client.containers.create({ name: 'c' });
  const send = async (body: string, type = 'application/json') => {
    const headers = { 'content-type': type };
    const answer = await service.request(`/v1/containers/${id}/files`, { method: 'POST', body, headers });
    return [answer.status, await answer.json()];
  };
  const named = JSON.stringify({ file_id: upload.id });
  expect(await send(named, 'Application/JSON')).toMatchObject([200, { bytes: 1 }]);
  expect(await send(`{"__proto__":{},${named.slice(1)}`)).toMatchObject([200, { bytes: 1 }]);
  expect(await send('{')).toMatchObject([400, { error: { message: 'The body is not valid JSON.' } }]);
  expect(await send('')).toMatchObject([400, { error: { param: 'file' } }]);
});

test('the quota of a workspace applies to a container', async ({ service }) => {
  const { containers } = connect(service);
  const { id } = await containers.create({ name: 'full' });
  const large = await toFile(Buffer.alloc(1_100_000), 'large.bin');
  await expect(containers.files.create(id, { file: large })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('more than 1.0 MB together'),
  });
});

test('a container that expires is gone, and its rows are deleted', async ({ service, home }) => {
  const { containers } = connect(service);
  const expiry = { anchor: 'last_active_at', minutes: 20 } as const;
  const made = await containers.create({ name: 'brief', expires_after: expiry });
  expect(made.expires_after).toEqual(expiry);
  await containers.files.create(made.id, { file: await csv('gone') });
  const age = `update workspaces set last_active_at = now() - interval '21 minutes' where name = 'brief'`;
  await home.query(age);
  await expect(containers.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  await waitFor('the sweep', async () => {
    const left = await home.query<{ id: string }>(`select id from workspaces where name = 'brief'`);
    return left.length === 0;
  });
});

test('users see only their containers and files', async ({ service }) => {
  const mine = connect(service).containers;
  const { id } = await mine.create({ name: 'mine' });
  const file = await mine.files.create(id, { file: await csv('secret') });
  const theirs = connect(service, (await addUser(service, 'ann')).token).containers;
  const own = await theirs.create({ name: 'theirs' });
  for (const container_id of [id, own.id]) {
    await expect(theirs.files.retrieve(file.id, { container_id })).rejects.toMatchObject({ status: 404 });
    await expect(theirs.files.content.retrieve(file.id, { container_id })).rejects.toMatchObject({ status: 404 });
    await expect(theirs.files.delete(file.id, { container_id })).rejects.toMatchObject({ status: 404 });
  }
  await expect(theirs.files.create(id, { file: await csv('x') })).rejects.toMatchObject({ status: 404 });
  expect((await theirs.list()).data.map(({ name }) => name)).toEqual(['theirs']);
});

test('the files of a conversation are a container, too, which stays with it', async ({ service }) => {
  const answer = await service.request('/api/chat', { method: 'POST', body: JSON.stringify({ message: 'say hello' }) });
  const { thread_id: thread } = (await answer.json()) as { thread_id: string };
  const id = `cntr_${thread.replaceAll('-', '')}`;
  const { containers } = connect(service);
  expect((await containers.files.list(id)).data).toEqual([]);
  await containers.files.create(id, { file: await csv('1') });
  const seen = await service.request(`/api/threads/${thread}/files/costs.csv`);
  expect(await seen.text()).toBe('1');
  await expect(containers.delete(id)).rejects.toMatchObject({ status: 400 });
  expect((await containers.list({ limit: 100 })).data.map((each) => each.id)).not.toContain(id);
});
