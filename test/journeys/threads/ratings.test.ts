import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';

const test = journey();

type Sent = { thread_id: string; response_id: string };
type Listed = { ratings: { turn_id: string; [field: string]: unknown }[]; names: object };

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what comes
async function call<T = Record<string, never>>(
  service: Service,
  method: string,
  route: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
) {
  const response = await service.request(route, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, text, json: (isJson ? JSON.parse(text) : {}) as T };
}

/** An answer of a user, with the id of its turn. */
async function answer(service: Service, headers: Record<string, string>) {
  const sent = await call<Sent>(service, 'POST', '/api/chat', { body: { message: 'say a secret word' }, headers });
  const { items } = (
    await call<{ items: { turn_id: string }[] }>(service, 'GET', `/api/threads/${sent.json.thread_id}/items`, {
      headers,
    })
  ).json;
  return { threadId: sent.json.thread_id, turnId: items[0]?.turn_id ?? '' };
}

test('a person rates an answer, changes the rating and takes it back', async ({ service }) => {
  const { headers } = await addUser(service, 'Ann');
  const { threadId, turnId } = await answer(service, headers);
  const list = async () =>
    (await call<Listed>(service, 'GET', `/api/threads/${threadId}/ratings`, { headers })).json.ratings;
  const rate = (body: object) => call(service, 'PUT', `/api/turns/${turnId}/rating`, { body, headers });

  expect(await rate({ rating: 'good' })).toMatchObject({ status: 200, json: { rating: 'good', reason: null } });
  expect((await rate({ rating: 'bad', reason: '  Too long. ' })).status).toBe(200);
  expect(await list()).toMatchObject([{ turn_id: turnId, rating: 'bad', reason: 'Too long.' }]);

  const remove = () => call(service, 'DELETE', `/api/turns/${turnId}/rating`, { headers });
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
  expect(await list()).toEqual([]);
});

test('operators see rating, reason, title and model, but no word of the thread', async ({ service }) => {
  const bob = await addUser(service, 'Bob');
  const { threadId, turnId } = await answer(service, bob.headers);
  const body = { rating: 'bad', reason: 'Not what I asked.' };
  await call(service, 'PUT', `/api/turns/${turnId}/rating`, { body, headers: bob.headers });
  const all = async () => call<Listed>(service, 'GET', '/api/ratings');

  const first = await all();
  const bobs = first.json.ratings.find((row) => row.turn_id === turnId);
  expect(bobs).toMatchObject({ ...body, user_id: bob.id, thread_id: threadId, title: null, model: 'scripted' });
  expect(first.json.names).toMatchObject({ [bob.id]: 'Bob' });
  expect(first.text).not.toContain('secret');
  const title = { body: { title: 'Words' }, headers: bob.headers };
  await call(service, 'PATCH', `/api/threads/${threadId}`, title);
  expect((await all()).json.ratings.find((row) => row.turn_id === turnId)).toMatchObject({ title: 'Words' });
});

test('no one rates the answer of another person, or sees their ratings', async ({ service }) => {
  const [cat, dan] = [await addUser(service, 'Cat'), await addUser(service, 'Dan')];
  const { threadId, turnId } = await answer(service, cat.headers);
  const body = { rating: 'bad' };

  for (const headers of [dan.headers, {}])
    expect((await call(service, 'PUT', `/api/turns/${turnId}/rating`, { body, headers })).status).toBe(404);
  await call(service, 'PUT', `/api/turns/${turnId}/rating`, { body: { rating: 'good' }, headers: cat.headers });
  expect((await call(service, 'DELETE', `/api/turns/${turnId}/rating`, { headers: dan.headers })).status).toBe(404);
  expect((await call(service, 'GET', `/api/threads/${threadId}/ratings`, { headers: dan.headers })).status).toBe(404);
  expect((await call(service, 'GET', '/api/ratings', { headers: dan.headers })).status).toBe(403);
});

test('a rating is in the export of its person, and goes with its thread', async ({ service, home }) => {
  const eve = await addUser(service, 'Eve');
  const { threadId, turnId } = await answer(service, eve.headers);
  const body = { rating: 'bad', reason: 'Exported words.' };
  await call(service, 'PUT', `/api/turns/${turnId}/rating`, { body, headers: eve.headers });

  const { text } = await call(service, 'GET', '/api/me/export', { headers: eve.headers });
  expect(text).toContain('Exported words.');
  await call(service, 'DELETE', `/api/threads/${threadId}`, { headers: eve.headers });
  expect(await home.query('select from ratings where turn_id = $1', [turnId])).toEqual([]);
});

test.for<[object, string]>([
  [{}, 'rating'],
  [{ rating: 'fine' }, 'rating'],
  [{ rating: 'bad', reason: 'x'.repeat(1001) }, 'reason'],
])('%j is refused, and the field is named', async ([body, param], { service }) => {
  const { headers } = await addUser(service, 'Flo');
  const { turnId } = await answer(service, headers);
  expect(await call(service, 'PUT', `/api/turns/${turnId}/rating`, { body, headers })).toMatchObject({
    status: 400,
    json: { error: { param } },
  });
});
