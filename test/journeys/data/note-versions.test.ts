import { expect } from 'vitest';
import { parseResponseId } from '#http/response-id.ts';
import { journey } from '../../support/journey.ts';
import { type Service, textOf } from '../../support/service.ts';

const test = journey();
type Version = {
  version: number;
  text: string | null;
  written_by: string;
  thread_id: string | null;
  turn_id: string | null;
  sources: { kind: string; name: string | null; version?: number; item_id?: string }[];
};

const PATH = '/api/note-versions/people%2Fcarla';
const call = async (service: Service, method: string, route: string, body?: object) => {
  const response = await service.request(route, { method, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text === '' ? '{}' : text) as Record<string, unknown> };
};
const historyOf = async (service: Service) => (await call(service, 'GET', PATH)).body['versions'] as Version[];

test('a note shows which turn wrote it after reading what, and each change is undone', async ({ service }) => {
  await service.request('/api/memory/people%2Fcarla', { method: 'PUT', body: '{"text":"Carla keeps bees."}' });
  const read = await service.ask('use memory_read {"path":"people/carla"}');
  expect(textOf(read)).toContain('"written_by":"the user"');
  const wrote = await service.ask('use memory_write {"path":"people/carla","text":"Carla keeps wasps."}', {
    previous_response_id: read.id,
  });

  const [newest, first] = await historyOf(service);
  expect(first).toMatchObject({ version: 1, text: 'Carla keeps bees.', written_by: 'person', sources: [] });
  const { threadId, turnId } = parseResponseId(wrote.id) ?? {};
  expect(newest).toMatchObject({
    version: 2,
    text: 'Carla keeps wasps.',
    written_by: 'agent',
    thread_id: threadId,
    turn_id: turnId,
    sources: [{ kind: 'note', name: 'people/carla', version: 1 }],
  });
  const items = await call(service, 'GET', `/api/threads/${threadId}/items`);
  expect(JSON.stringify(items.body)).toContain(newest?.sources[0]?.item_id);

  expect(await call(service, 'POST', PATH, { version: 1 })).toMatchObject({
    status: 200,
    body: { text: 'Carla keeps bees.', version: 3, written_by: 'person' },
  });
  await service.ask('use memory_delete {"path":"people/carla"}');
  expect((await call(service, 'GET', '/api/deleted-notes')).body).toMatchObject({
    notes: [{ path: 'people/carla', version: 4, written_by: 'agent' }],
  });
  expect((await call(service, 'POST', PATH, { version: 4 })).status).toBe(400);
  expect((await call(service, 'POST', PATH, { version: 9 })).status).toBe(404);
  expect((await call(service, 'POST', PATH, { version: 1 })).status).toBe(200);
  const found = await call(service, 'GET', '/api/memory?q=bees');
  expect(found.body['results']).toMatchObject([{ path: 'people/carla', version: 5, written_by: 'person' }]);
});

test('texts of a thread in notes are shown, then forgotten; a body without a place is refused', async ({ service }) => {
  await service.request('/api/memory/sea', { method: 'PUT', body: '{"text":"Calm."}' });
  const { threadId } = parseResponseId((await service.ask('use memory_write {"path":"sea","text":"Rough."}')).id) ?? {};
  const forget = (body: object) => call(service, 'POST', '/api/memory/forget', body);
  const from = { thread_id: threadId };
  const preview = await forget({ from });
  expect(preview).toMatchObject({
    status: 200,
    body: { changed: [{ path: 'sea', text: 'Rough.', stays: { version: 1, text: 'Calm.' } }], kept: [], versions: 1 },
  });
  expect(await forget({ from, digest: 'another' })).toMatchObject({
    status: 400,
    body: { error: { param: 'digest' } },
  });
  expect(await forget({ from, digest: preview.body['digest'] })).toEqual(preview);
  expect((await call(service, 'GET', '/api/memory/sea')).body).toMatchObject({ text: 'Calm.', version: 3 });
  for (const wrong of [{}, { ...from, turn_id: threadId }, { source: { kind: 'moon', name: null } }])
    expect((await forget({ from: wrong })).status).toBe(400);
});

test('a note that is deleted permanently leaves no text in any table', async ({ service, home }) => {
  const put = (text: string) =>
    service.request('/api/memory/secret', { method: 'PUT', body: JSON.stringify({ text }) });
  await put('The zanzibarian one.');
  await put('The zanzibarian other.');
  await service.request('/api/memory/secret', { method: 'DELETE' });
  expect((await call(service, 'DELETE', '/api/memory/secret')).status).toBe(404);
  expect((await call(service, 'DELETE', '/api/memory/secret?permanent=true')).status).toBe(204);
  expect((await call(service, 'GET', '/api/note-versions/secret')).status).toBe(404);
  for (const table of ['notes', 'note_words', 'note_versions'])
    expect(await home.query(`select from ${table} as t where t::text like '%zanzibar%'`)).toEqual([]);
});
