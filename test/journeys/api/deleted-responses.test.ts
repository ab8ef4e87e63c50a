import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { clientOf, type Service, textOf, type WireResponse } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey();

const tools = ['first', 'second'].map((name) => ({ type: 'function', name, parameters: { type: 'object' } }));
const output = (callId: string, said: string) => ({ type: 'function_call_output', call_id: callId, output: said });

const callOf = ({ output: items }: WireResponse) => {
  const call = items.find((item) => item.type === 'function_call');
  if (!call) throw new Error(`The items have no call: ${JSON.stringify(items)}`);
  return call;
};

const remove = (service: Pick<Service, 'request'>, id: string, headers: Record<string, string> = {}) =>
  service.request(`/api/v1/responses/${id}`, { method: 'DELETE', headers });
const statusOf = async (service: Service, id: string) => (await service.request(`/api/v1/responses/${id}`)).status;
const uuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
const threadOf = ({ id }: WireResponse) => uuid(id.slice(-32));
const turnOf = ({ id }: WireResponse) => uuid(id.slice(5, 37));

/** The number of rows that each table holds of a turn or a thread. */
async function rowsOf(home: Home, response: WireResponse): Promise<Record<string, number>> {
  const [row] = await home.query<Record<string, number>>(
    `select (select count(*) from turns where id = $1)::integer as turns,
       (select count(*) from items where turn_id = $1)::integer as items,
       (select count(*) from turn_events where turn_id = $1)::integer as events,
       (select count(*) from gates where turn_id = $1)::integer as gates,
       (select count(*) from idempotency_keys where turn_id = $1)::integer as keys,
       (select count(*) from threads where id = $2)::integer as threads`,
    [turnOf(response), threadOf(response)],
  );
  return row ?? {};
}

/** The size of a thread according to its row, and according to its items. */
async function bytesOf(home: Home, response: WireResponse) {
  const [row] = await home.query<{ kept: number; counted: number }>(
    `select bytes::integer as kept,
       (select coalesce(sum(octet_length(body::text)), 0) from items where thread_id = threads.id)::integer as counted
     from threads where id = $1`,
    [threadOf(response)],
  );
  return row;
}

const NOTHING = { turns: 0, items: 0, events: 0, gates: 0, keys: 0, threads: 0 };

test('a deleted response is gone with its thread, and its spending stays', async ({ service, home }) => {
  const created = await service.request('/api/v1/responses', {
    method: 'POST',
    headers: { 'idempotency-key': 'deleted' },
    body: JSON.stringify({ model: 'm', input: 'say hello' }),
  });
  const response = (await created.json()) as WireResponse;
  await waitFor('its events', async () => ((await rowsOf(home, response))['events'] ?? 0) > 0);
  const usage = async () => (await service.request('/api/usage')).json();
  const spent = await usage();

  const deleted = await remove(service, response.id);
  expect(deleted.status).toBe(200);
  expect(await deleted.json()).toEqual({ id: response.id, object: 'response.deleted', deleted: true });
  expect(await rowsOf(home, response)).toEqual(NOTHING);
  expect(await statusOf(service, response.id)).toBe(404);
  expect(await usage()).toEqual(spent);
  const again = await remove(service, response.id);
  expect(again.status).toBe(404);
  const { error } = await service.ask('say more', { previous_response_id: response.id });
  expect(error?.code).toBe('previous_response_not_found');
});

test("unknown ids and another user's responses are 404", async ({ service }) => {
  const response = await service.ask('say mine');
  const { token } = await addUser(service, 'Ann');
  const stranger = await remove(clientOf(service.url), response.id, { authorization: `Bearer ${token}` });
  expect(stranger.status).toBe(404);
  expect((await remove(service, 'resp_unknown')).status).toBe(404);
  expect((await remove(service, `resp_${'0'.repeat(64)}`)).status).toBe(404);
  expect(await statusOf(service, response.id)).toBe(200);
});

test('a running response is cancelled and then deleted, and so is a queued one', async ({ service, home }) => {
  const running = (await (await service.post({ input: 'hang', background: true })).json()) as WireResponse;
  await waitFor('it to run', async () => (await service.get(running.id)).status === 'in_progress');
  const queued = (await (
    await service.post({ input: 'say later', background: true, previous_response_id: running.id })
  ).json()) as WireResponse;

  expect((await remove(service, queued.id)).status).toBe(200);
  expect((await remove(service, running.id)).status).toBe(200);
  expect(await rowsOf(home, running)).toEqual(NOTHING);
  expect(await rowsOf(home, queued)).toEqual(NOTHING);
});

test('the rest of a thread continues without the deleted response', async ({ service, model, home }) => {
  const first = await service.ask('say one');
  const second = await service.ask('say two', { previous_response_id: first.id });
  await remove(service, first.id);
  const third = await service.ask('say three', { previous_response_id: second.id });

  expect(textOf(third)).toBe('three');
  const said = model.seen.at(-1)?.messages.map(({ text }) => text) ?? [];
  expect(said).toContain('say two');
  expect(said).not.toContain('say one');
  const { kept, counted } = (await bytesOf(home, third)) ?? {};
  expect(kept).toBe(counted);
  const thread = await (await service.request(`/api/threads/${threadOf(third)}`)).json();
  expect(thread).toMatchObject({ title: 'say two', preview: 'say three' });
});

test('a response that waits for two calls of an earlier one is deleted with both calls', async ({ service, model }) => {
  const first = await service.ask('use first {}\nuse second {}', { tools });
  const second = await service.ask([output(callOf(first).call_id, 'one')], { previous_response_id: first.id });
  expect(callOf(second).name).toBe('second');
  await remove(service, second.id);

  const third = await service.ask('recite', { previous_response_id: first.id });
  expect(third.status).toBe('completed');
  const roles = model.seen.at(-1)?.messages.map(({ role }) => role) ?? [];
  expect(roles).not.toContain('tool');
  expect(model.seen.at(-1)?.messages).toHaveLength(3);
});

test('with the response that made a call, its output and the wait for the next call go', async ({ service, model }) => {
  const first = await service.ask('use first {}\nuse second {}', { tools });
  const second = await service.ask([output(callOf(first).call_id, 'one')], { previous_response_id: first.id });
  await remove(service, first.id);

  const third = await service.ask('say on', { previous_response_id: second.id });
  expect(textOf(third)).toBe('on');
  expect(model.seen.at(-1)?.messages.map(({ role }) => role)).not.toContain('tool');
  const late = await service.post({
    input: [output(callOf(second).call_id, 'two')],
    previous_response_id: second.id,
  });
  expect(late.status).toBe(400);
});
