import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';

const test = journey().override('settings', { CHAT_RATE_PER_MINUTE: '2' });

async function count(service: Service, body: object, headers: Record<string, string> = {}) {
  const response = await service.request('/v1/responses/input_tokens', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', ...body }),
    headers,
  });
  return { status: response.status, body: (await response.json()) as { input_tokens: number; error?: object } };
}

const words = 'a few more words for the model to read, '.repeat(100);
const tool = { type: 'function', name: 'lookup', description: words, parameters: { type: 'object', properties: {} } };

test('the estimate covers input, instructions, context and tools, and grows with each of them', async ({ service }) => {
  const { status, body } = await count(service, { input: 'hello' });
  expect([status, Object.keys(body).toSorted()]).toEqual([200, ['input_tokens', 'object']]);
  expect(body).toMatchObject({ object: 'response.input_tokens', input_tokens: expect.any(Number) });

  for (const more of [
    { input: words },
    { instructions: words },
    { x_context: { page: { title: words } } },
    { tools: [tool] },
  ]) {
    const larger = await count(service, { input: 'hello', ...more });
    expect(larger.body.input_tokens).toBeGreaterThan(body.input_tokens + 900);
  }
});

test('a continued thread counts with its history, and counting stores nothing, asks no model and does not count as a send', async ({
  service,
  model,
  home,
}) => {
  const first = await service.ask(`say noted\n${words}`);
  const rows = () => home.query('select (select count(*) from turns) as turns, (select count(*) from items) as items');
  const [asked, before] = [model.seen.length, await rows()];

  const fresh = await count(service, { input: 'hello' });
  for (let i = 0; i < 5; i++) {
    const continued = await count(service, { input: 'hello', previous_response_id: first.id });
    expect(continued.body.input_tokens).toBeGreaterThan(fresh.body.input_tokens + 900);
  }
  expect(model.seen).toHaveLength(asked);
  expect(await rows()).toEqual(before);
  expect((await service.post({ input: 'say still allowed' })).status).toBe(200);
});

test('invalid bodies are refused like a create, and an unknown or foreign response is 404', async ({
  service,
  home,
}) => {
  expect(await count(service, { model: '', input: 'x' })).toMatchObject({
    status: 400,
    body: { error: { param: 'model' } },
  });
  expect(await count(service, { input: '' })).toMatchObject({ status: 400, body: { error: { param: 'input' } } });
  expect(await count(service, { input: 'x', previous_response_id: 'resp_1' })).toMatchObject({
    status: 400,
    body: { error: { code: 'previous_response_not_found' } },
  });
  const unknown = await count(service, { input: 'x', previous_response_id: `resp_${'0'.repeat(64)}` });
  expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });

  const [mine] = await home.query<{ id: string; threadId: string }>('select id, thread_id as "threadId" from turns');
  const id = `resp_${`${mine?.id}${mine?.threadId}`.replaceAll('-', '')}`;
  const { token } = await addUser(service, 'ann');
  const foreign = await count(service, { input: 'x', previous_response_id: id }, { authorization: `Bearer ${token}` });
  expect(foreign).toEqual(unknown);
});
