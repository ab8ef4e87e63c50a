import { expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import type { Home } from '../../support/fresh-home.ts';
import { fullRound } from '../../support/full-round.ts';
import { journey } from '../../support/journey.ts';
import { type Service, textOf, type WireResponse } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const sent: string[] = [];
const send: Tool = {
  definition: { name: 'send', description: null, parameters: { type: 'object' }, strict: null },
  repeatable: false,
  flow: { reads: {}, runs: 'clean' },
  async call(argumentsJson) {
    sent.push(argumentsJson);
    return 'sent';
  },
};

const test = journey().override('parts', { undeliveredEveryMs: 200, tools: [send] });

const tools = ['first', 'second'].map((name) => ({ type: 'function', name, parameters: { type: 'object' } }));
const uuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
const turnOf = (id: string) => uuid(id.slice(5, 37));
const statusOf = async (service: Service, id: string) => (await service.request(`/api/v1/responses/${id}`)).status;

/** The number of rows that are left of a response. */
async function rowsOf(home: Home, id: string): Promise<number> {
  const [row] = await home.query<{ rows: number }>(
    `select ((select count(*) from turns where id = $1) + (select count(*) from items where turn_id = $1)
       + (select count(*) from gates where turn_id = $1) + (select count(*) from threads where id = $2)
       + (select count(*) from unstored_turns where turn_id = $1))::integer as rows`,
    [turnOf(id), uuid(id.slice(-32))],
  );
  return row?.rows ?? -1;
}

/** Starts a stream and disconnects after its first event. */
async function startAndHangUp(service: Service, input: string): Promise<string> {
  const answer = await service.post({ input, stream: true, store: false });
  const reader = answer.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  return /resp_[0-9a-f]{64}/.exec(first)?.[0] ?? '';
}

test('a response with store: false says so, and is gone when the client has it', async ({ service, home }) => {
  const response = await service.ask('say hello', { store: false });
  expect(response).toMatchObject({ status: 'completed', store: false });
  expect(textOf(response)).toBe('hello');
  expect(await statusOf(service, response.id)).toBe(404);
  expect(await rowsOf(home, response.id)).toBe(0);
  const { error } = await service.ask('say more', { previous_response_id: response.id, store: false });
  expect(error?.code).toBe('previous_response_not_found');
});

test('so is a streamed one after its last event', async ({ service, home }) => {
  const stream = await (await service.post({ input: 'say hello', stream: true, store: false })).text();
  const id = /resp_[0-9a-f]{64}/.exec(stream)?.[0] ?? '';
  expect(stream).toContain('event: response.completed');
  expect(stream).not.toContain('"store":true');
  expect(await statusOf(service, id)).toBe(404);
  expect(await rowsOf(home, id)).toBe(0);
});

const callOf = ({ output }: WireResponse) => output.find(({ type }) => type === 'function_call');
const outputOf = (response: WireResponse, output: string) => ({
  type: 'function_call_output',
  call_id: callOf(response)?.call_id,
  output,
});

test('a response that waits for a tool is kept only to match the history that the client sends with the output', async ({
  service,
  home,
}) => {
  const input: unknown[] = [{ type: 'message', role: 'user', content: 'use first {}\nuse second {}' }];
  const first = await service.ask(input, { store: false, tools });
  expect(await statusOf(service, first.id)).toBe(404);
  for (const answer of ['say more', [outputOf(first, 'one')]]) {
    const { error } = await service.ask(answer, { previous_response_id: first.id, store: false });
    expect(error?.code).toBe('previous_response_not_found');
  }

  input.push(callOf(first), outputOf(first, 'one'));
  const second = await service.ask(input, { store: false, tools });
  expect(callOf(second)?.name).toBe('second');
  input.push(callOf(second), outputOf(second, 'two'));
  const last = await service.ask(input, { store: false, tools });
  expect(textOf(last)).toBe('result: two');
  for (const { id } of [first, second, last]) {
    expect(await statusOf(service, id)).toBe(404);
    expect(await rowsOf(home, id)).toBe(0);
  }
  expect(await (await service.request('/api/gates')).json()).toMatchObject({ gates: [] });
});

test('a response that waits for a tool is deleted after a day, or at once in a thread that the client named', async ({
  service,
  home,
}) => {
  const waiting = await service.ask('use first {}', { store: false, tools });
  const age = (span: string) =>
    home.query(`update turns set ended_at = now() - $2::interval where id = $1`, [turnOf(waiting.id), span]);
  await age('23 hours');
  await fullRound(service, 'undelivered_responses');
  expect(await rowsOf(home, waiting.id)).toBeGreaterThan(0);
  await age('25 hours');
  await waitFor('the sweep', async () => (await rowsOf(home, waiting.id)) === 0);

  const first = await service.ask('say one');
  const call = await service.ask('use first {}', { store: false, tools, previous_response_id: first.id });
  expect(callOf(call)?.name).toBe('first');
  expect(textOf(await service.ask('say two', { previous_response_id: first.id }))).toBe('two');
});

const hasEnded = async (home: Home, id: string) =>
  (await home.query('select from turns where id = $1 and ended_at is not null', [turnOf(id)])).length > 0;

test('a response that waits for an approval is kept until it is answered, or for a day', async ({ service, home }) => {
  const ask = async () => {
    const waiting = await service.ask('use send {"n":1}', { store: false });
    expect(waiting.error?.code).toBe('approval_required');
    const { gates } = (await (await service.request('/api/gates')).json()) as { gates: { id: string }[] };
    return { waiting, gate: gates[0]?.id ?? '' };
  };
  const first = await ask();
  const body = JSON.stringify({ answer: 'approve' });
  const answered = await service.request(`/api/gates/${first.gate}`, { method: 'POST', body });
  expect(answered.status).toBe(202);
  await waitFor('the approved call', async () => sent.length > 0);
  expect(sent).toEqual(['{"n":1}']);

  const { waiting } = await ask();
  const age = (span: string) =>
    home.query(`update turns set ended_at = now() - $2::interval where id = $1`, [turnOf(waiting.id), span]);
  await age('23 hours');
  await fullRound(service, 'undelivered_responses');
  expect(await rowsOf(home, waiting.id)).toBeGreaterThan(0);
  await age('25 hours');
  await waitFor('the sweep', async () => (await rowsOf(home, waiting.id)) === 0);
});

test('it leaves the stored rest of its thread as it was', async ({ service, model }) => {
  const first = await service.ask('say one');
  const second = await service.ask('say two', { previous_response_id: first.id, store: false });
  expect(textOf(second)).toBe('two');
  await service.ask('say three', { previous_response_id: first.id });
  const said = model.seen.at(-1)?.messages.map(({ text }) => text);
  expect(said?.slice(-3)).toEqual(['say one', 'one', 'say three']);
});

test('while it runs it can be watched again, and a retrieval of the ended one is its delivery', async ({
  service,
  home,
}) => {
  const id = await startAndHangUp(service, 'count 8 every 100');
  expect(await service.get(id)).toMatchObject({ status: 'in_progress', store: false });
  await waitFor('its end', async () => hasEnded(home, id));
  for (const query of ['', '?stream=true']) {
    const { status } = await service.request(`/api/v1/responses/${id}${query}`, { method: 'HEAD' });
    expect(status).toBe(200); // without a body, so it delivers nothing
  }
  expect(await service.get(id)).toMatchObject({ status: 'completed', store: false });
  expect(await statusOf(service, id)).toBe(404);

  const watched = await startAndHangUp(service, 'count 8 every 100');
  const events = await (await service.request(`/api/v1/responses/${watched}?stream=true`)).text();
  expect(events).toContain('event: response.completed');
  expect(await statusOf(service, watched)).toBe(404);
});

test('one that is never delivered is deleted an hour after its end', async ({ service, home }) => {
  const id = await startAndHangUp(service, 'count 3 every 50');
  await waitFor('its end', async () => hasEnded(home, id));
  await fullRound(service, 'undelivered_responses');
  expect(await rowsOf(home, id)).toBeGreaterThan(0);
  await home.query(`update turns set ended_at = now() - interval '61 minutes' where id = $1`, [turnOf(id)]);
  await waitFor('the sweep', async () => (await rowsOf(home, id)) === 0);
});

test('background needs storage; other values of store change nothing', async ({ service }) => {
  const refused = await service.post({ input: 'say hi', background: true, store: false });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: 'invalid_request', param: 'store' } });
  for (const store of [true, null, 'false', 0]) {
    const response = (await service.ask('say hi', { store })) as WireResponse & { store: boolean };
    expect(response.store).toBe(true);
    expect(await statusOf(service, response.id)).toBe(200);
  }
});
