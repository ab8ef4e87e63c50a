import { unzipSync } from 'fflate';
import { expect } from 'vitest';
import { fileList, fileVersion } from '#channels/gateway/files/file-shape.ts';
import { exportThread } from '#channels/gateway/threads/export-thread.ts';
import { searchFiles } from '#channels/gateway/threads/search-routes.ts';
import { usageRoute } from '#channels/gateway/usage/usage-route.ts';
import { INERT, type Tool } from '#tools/tool.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';

/** What the owner does while a call runs. */
const meanwhile: { act: () => Promise<unknown> } = { act: async () => {} };

/** Stages two files, but not before the owner has changed something. */
const slowWriter: Tool = {
  definition: { name: 'reborn_slow_write', description: null, parameters: null, strict: null },
  repeatable: true,
  level: 'allow',
  flow: INERT,
  async call(_, { workspace }) {
    await workspace?.open();
    await meanwhile.act();
    workspace?.stage([
      { path: 'plan.md', content: Buffer.from('of the agent') },
      { path: 'more.md', content: Buffer.from('more') },
    ]);
    return 'done';
  },
};

const test = journey()
  .override('settings', { WORKSPACE_QUOTA_MB: '1', USER_STORAGE_MB: '3' })
  .override('parts', { tools: [slowWriter] });

type Headers = Record<string, string>;

/** Sends a message, and resolves to the thread, its items, and the answer, which repeats what the last tool returned. */
async function chat(service: Service, message: string, thread?: string, more: object = {}) {
  const sent = await service.request('/api/chat', {
    method: 'POST',
    body: JSON.stringify({ message, ...(thread && { thread_id: thread }), ...more }),
  });
  const { thread_id: id, message: text } = (await sent.json()) as { thread_id: string; message: string };
  return { id, text, items: (await get<{ items: Item[] }>(service, `/api/threads/${id}/items`)).items };
}

type Part = { type: string; text?: string; url?: string; filename?: string };
type Item = {
  type: string;
  role?: string;
  turn_id: string;
  content?: Part[];
  output?: Part[];
};

async function get<T>(service: Service, route: string, headers: Headers = {}): Promise<T> {
  const response = await service.request(route, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

const fileSearch = searchFiles.responses[200].json;

const filesOf = async (service: Service, id: string, query = '') =>
  fileList.parse(await get(service, `/api/threads/${id}/files${query}`));
const contentOf = async (service: Service, id: string, path: string, query = '') =>
  (await service.request(`/api/threads/${id}/files/${path}${query}`)).text();
const put = (
  service: Service,
  id: string,
  path: string,
  body: string | Buffer<ArrayBuffer>,
  query = '',
  headers: Headers = {},
) =>
  service.request(`/api/threads/${id}/files/${path}${query}`, {
    method: 'PUT',
    body,
    headers: { 'content-type': 'text/csv', ...headers },
  });
const use = (tool: string, given: object) => `use reborn_file_${tool} ${JSON.stringify(given)}`;

test('the agent writes, changes, finds and reads files, and each change is a version', async ({ service }) => {
  const { id, text } = await chat(service, use('write', { path: 'notes/plan.md', text: 'one\ntwo\nthree\n' }));
  expect(text).toBe('result: Written: notes/plan.md, 3 lines.\nfiles: +notes/plan.md (14 bytes); version 1');

  const edited = await chat(service, use('edit', { path: './notes//plan.md', old: 'two', new: '2' }), id);
  expect(edited.text).toContain('Changed once:\n1\tone\n2\t2\n3\tthree');
  expect(edited.text).toContain('files: ~notes/plan.md; version 2');
  expect((await chat(service, use('edit', { path: 'notes/plan.md', old: 'e', new: 'E' }), id)).text).toContain(
    'occurs 3 times',
  );
  expect((await chat(service, use('read', { path: '/workspace/notes/plan.md', from_line: 2 }), id)).text).toContain(
    '2\t2\n3\tthree',
  );
  expect((await chat(service, use('find', { pattern: '^t[a-z]+e$' }), id)).text).toContain('notes/plan.md:3: three');
  expect((await chat(service, use('find', { pattern: '(' }), id)).text).toContain('pattern is not valid');
  expect((await chat(service, use('list', { pattern: '*.md' }), id)).text).toContain(
    'notes/plan.md (12 bytes, version 2)',
  );

  expect(await filesOf(service, id)).toMatchObject({ version: 2, bytes: 12, files: [{ path: 'notes/plan.md' }] });
  expect(await contentOf(service, id, 'notes/plan.md', '?version=1')).toBe('one\ntwo\nthree\n');
  const { versions } = await get<{ versions: unknown[] }>(service, `/api/threads/${id}/file-versions`);
  expect(versions.map((version) => fileVersion.parse(version))).toMatchObject([
    { version: 2, cause: 'call', changes: [{ path: 'notes/plan.md', bytes: 12, removed: false }] },
    { version: 1, cause: 'call' },
  ]);
});

test('files of a message are files of the workspace, and those that are shown are in the thread', async ({
  service,
  model,
}) => {
  const csv = Buffer.from('a,b\n1,2\n').toString('base64');
  const { id } = await chat(service, 'say thanks', undefined, {
    attachments: [{ name: 'costs.csv', media_type: 'text/csv', data: csv }],
  });
  expect((await filesOf(service, id)).files).toMatchObject([{ path: 'costs.csv', bytes: 8 }]);

  const shown = await chat(service, use('present', { paths: ['costs.csv'] }), id);
  const part = shown.items.flatMap(({ output = [] }) => output).findLast(({ type }) => type === 'file');
  expect(part).toMatchObject({ filename: 'costs.csv' });
  // Anyone may have written it, so the model does not read it as the words of the tool.
  expect(model.seen.at(-1)?.messages.at(-1)?.text).toBe('Shown to the user: costs.csv.\n[file that the user sees]');
  expect(await (await service.request(part?.url ?? '')).text()).toBe('a,b\n1,2\n');
});

test('the model gets a picture that it reads, and a note if it sees none', async ({ service, model }) => {
  const { id } = await chat(service, use('write', { path: 'fake.png', text: 'no picture' }));
  await put(service, id, 'dot.png', Buffer.from(PNG, 'base64'));
  const read = await chat(service, use('read', { path: 'dot.png' }), id);
  expect(read.text).toContain('dot.png: a picture of 70 bytes.');
  const part = read.items.flatMap(({ output = [] }) => output).find(({ type }) => type === 'image');
  expect(Buffer.from(await (await service.request(part?.url ?? '')).arrayBuffer()).toString('base64')).toBe(PNG);
  expect(model.seen.at(-1)?.messages.at(-1)?.text).toContain("[image/png: this model can't look at it]");
  expect((await chat(service, use('read', { path: 'fake.png' }), id)).text).toContain('1\tno picture');
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('the owner adds, removes and restores files, and downloads all of them', async ({ service }) => {
  const { id } = await chat(service, 'say hello');
  expect(await filesOf(service, id)).toMatchObject({ version: 0, files: [], quota_bytes: 1_000_000 });
  await put(service, id, 'data/a.csv', 'first');
  await put(service, id, 'b.txt', '{"not": "parsed"}', '', { 'content-type': 'application/json' });
  await put(service, id, 'data/a.csv', 'second');
  expect((await put(service, id, 'data/a.csv', 'second')).status).toBe(200);
  expect((await filesOf(service, id)).version).toBe(3);

  const zip = await service.request(`/api/threads/${id}/files.zip`);
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  expect(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString()])).toEqual([
    ['b.txt', '{"not": "parsed"}'],
    ['data/a.csv', 'second'],
  ]);

  const restored = await service.request(`/api/threads/${id}/file-versions/1/restore`, { method: 'POST', body: '{}' });
  expect(await restored.json()).toMatchObject({ version: 4, files: [{ path: 'data/a.csv' }] });
  expect(await contentOf(service, id, 'data/a.csv')).toBe('first');
  await service.request(`/api/threads/${id}/files/data/a.csv`, { method: 'DELETE' });
  expect((await filesOf(service, id)).files).toEqual([]);
  expect((await filesOf(service, id, '?version=3')).files).toHaveLength(2);
});

test('limits hold before anything is written', async ({ service }) => {
  const { id } = await chat(service, 'say hello');
  const large = 'x'.repeat(600_000);
  expect((await put(service, id, 'one.txt', large)).status).toBe(200);
  const refused = await put(service, id, 'two.txt', large);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('more than 1.0 MB together')]);
  expect((await put(service, id, 'ONE.txt', 'x')).status).toBe(400);
  expect((await put(service, id, 'one.txt/x', 'x')).status).toBe(400);
  for (const path of ['..%2Fx', 'a%00b', '%20x', 'a%5Cb']) expect((await put(service, id, path, 'x')).status).toBe(400);
  expect((await put(service, id, 'huge', Buffer.alloc(64 * 1024 * 1024 + 1))).status).toBe(413);

  await put(service, id, 'one.txt', 'x'.repeat(990_000));
  const said = await chat(service, use('write', { path: 'Two.txt', text: 'x'.repeat(20_000) }), id);
  expect(said.text).toContain('files: not changed, because the files would have more than 1.0 MB together');
  expect((await filesOf(service, id)).version).toBe(2);
  for (const name of ['c', 'd', 'e', 'f']) {
    const { id: other } = await chat(service, 'say hello');
    await put(service, other, name, name.repeat(600_000));
  }
  const last = await put(service, (await chat(service, 'say hello')).id, 'g', 'g'.repeat(600_000));
  expect([last.status, await last.text()]).toEqual([400, expect.stringContaining('all files of this user')]);
});

test("keeps the owner's changes while a call runs", async ({ service }) => {
  const { id } = await chat(service, 'say hello');
  meanwhile.act = () => put(service, id, 'plan.md', 'of the owner');
  const { text } = await chat(service, 'use reborn_slow_write {}', id);
  expect(text).toBe(
    'result: done\nfiles: +plan (agent).md (12 bytes), +more.md (4 bytes); version 2\n' +
      'The user changed plan.md meanwhile: theirs is kept, and yours is plan (agent).md.',
  );
  expect(await contentOf(service, id, 'plan.md')).toBe('of the owner');
  expect(await contentOf(service, id, 'plan (agent).md')).toBe('of the agent');

  meanwhile.act = () => put(service, id, 'other.md', 'of the owner');
  expect((await chat(service, 'use reborn_slow_write {}', id)).text).toContain('~plan.md; version 4');
});

test('another user finds nothing', async ({ service }) => {
  const { id } = await chat(service, use('write', { path: 'secret.txt', text: 'mine' }));
  const ann = await addUser(service, 'Ann');
  const { headers } = ann;
  const tries = [
    ['GET', 'files'],
    ['GET', 'files/secret.txt'],
    ['GET', 'files.zip'],
    ['GET', 'file-versions'],
    ['DELETE', 'files/secret.txt'],
    ['PUT', 'files/secret.txt'],
  ] as const;
  for (const [method, route] of tries) {
    const body = method === 'PUT' ? { body: 'hers' } : {};
    const answer = await service.request(`/api/threads/${id}/${route}`, { method, headers, ...body });
    expect([method, route, answer.status]).toEqual([method, route, 404]);
  }
  const restore = await service.request(`/api/threads/${id}/file-versions/1/restore`, {
    method: 'POST',
    headers,
    body: '{}',
  });
  expect(restore.status).toBe(404);
  expect(await contentOf(service, id, 'secret.txt')).toBe('mine');
});

test('files are found by the words of their names in all threads of their owner, the newest first', async ({
  service,
}) => {
  const ann = await addUser(service, 'Ann');
  const search = async (q: string, headers: Headers = {}) => {
    const answer = await service.request(`/api/search/files?q=${encodeURIComponent(q)}`, { headers });
    return fileSearch.parse(await answer.json()).files.map(({ path, thread_id }) => [path, thread_id]);
  };
  const { id: first } = await chat(service, 'say the first');
  const { id: second } = await chat(service, 'say the second');
  await put(service, first, 'reports/Ferry-2026.csv', 'a');
  await put(service, first, 'gone-ferry.csv', 'a');
  await service.request(`/api/threads/${first}/files/gone-ferry.csv`, { method: 'DELETE' });
  await put(service, second, 'ferry.csv', 'a');

  expect(await search('ferry')).toEqual([
    ['ferry.csv', second],
    ['reports/Ferry-2026.csv', first],
  ]);
  expect(await search('2026 FERRY')).toEqual([['reports/Ferry-2026.csv', first]]);
  expect(await search('ferry absent')).toEqual([]);
  expect(await search("%_'")).toEqual([]);
  expect(await search('ferry', ann.headers)).toEqual([]);
});

test('exports have the files: their list for a thread, and the bytes of all kept versions for a person', async ({
  service,
}) => {
  const ida = await addUser(service, 'Ida');
  const sent = await service.request('/api/chat', {
    method: 'POST',
    headers: ida.headers,
    body: JSON.stringify({ message: use('write', { path: 'plan.md', text: 'first' }) }),
  });
  const { thread_id: id } = (await sent.json()) as { thread_id: string };
  await put(service, id, 'plan.md', 'second', '', ida.headers);
  await service.request(`/api/threads/${id}/files/plan.md`, { method: 'DELETE', headers: ida.headers });
  await put(service, id, 'data/costs.csv', 'a,b\n', '', ida.headers);

  const exported = exportThread.responses[200].json.parse(
    await get(service, `/api/threads/${id}/export?format=json`, ida.headers),
  );
  expect(exported.files).toEqual([
    { path: 'data/costs.csv', bytes: 4, media_type: 'text/csv', version: 4, document: expect.any(Object) },
  ]);

  const mine = await (await service.request('/api/me/export', { headers: ida.headers })).text();
  const rows = mine
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { table?: string; row: Record<string, string> });
  const rowsOf = (table: string) => rows.filter((each) => each.table === table).map(({ row }) => row);
  const contents = new Map(
    rowsOf('attachments').map(({ sha256, content }) => [sha256, Buffer.from(content ?? '', 'base64').toString()]),
  );
  const files = rowsOf('workspace_files').map(({ path, version, sha256 }) => [version, path, contents.get(sha256)]);
  expect(files.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
    [1, 'plan.md', 'first'],
    [2, 'plan.md', 'second'],
    [3, 'plan.md', undefined],
    [4, 'data/costs.csv', 'a,b\n'],
  ]);

  const { storage } = usageRoute.responses[200].json.parse(await get(service, '/api/usage', ida.headers));
  expect(storage).toEqual({ bytes: 'first'.length + 'second'.length + 4, limit_bytes: 3_000_000 });
});

test('a version that is not kept any more is not shown as if it were another one', async ({ service, home }) => {
  const { id } = await chat(service, 'say hello');
  for (const text of ['one', 'two', 'three']) await put(service, id, 'a.txt', text);
  await home.query(`delete from workspace_files where workspace_id = $1 and version = 2`, [id]);
  await home.query(`delete from workspace_versions where workspace_id = $1 and version = 2`, [id]);
  const statusOf = async (route: string, init: Parameters<typeof service.request>[1] = {}) =>
    (await service.request(route, init)).status;
  expect(await statusOf(`/api/threads/${id}/files/a.txt?version=2`)).toBe(404);
  expect(await statusOf(`/api/threads/${id}/files?version=4`)).toBe(404);
  expect(await statusOf(`/api/threads/${id}/file-versions/2/restore`, { method: 'POST', body: '{}' })).toBe(404);
  expect(await contentOf(service, id, 'a.txt', '?version=1')).toBe('one');
});
