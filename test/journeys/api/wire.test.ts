import { describe, expect } from 'vitest';
import type { z } from 'zod';
import { itemPage } from '#channels/responses/response/input-items-page.ts';
import { modelList } from '#channels/responses/response/model-list.ts';
import { responseObject } from '#channels/responses/response/response-object.ts';
import { streamEvent } from '#channels/responses/response/stream-event.ts';
import { errorEnvelope } from '#http/routes/error-envelope.ts';
import { checkedAnswer } from '../../support/checked-answer.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey().override('settings', { CHAT_RATE_PER_MINUTE: '100000' });

const create = async (service: Service, body: object) => checkedAnswer(await service.post(body));
const get = async (service: Service, route: string) =>
  checkedAnswer(await service.request(`/api/v1/responses/${route}`));
const cancel = async (service: Service, id: string) =>
  checkedAnswer(await service.request(`/api/v1/responses/${id}/cancel`, { method: 'POST', body: '{}' }));

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const tools = [{ type: 'function', name: 'lookup', parameters }];
const unknownId = `resp_${'0'.repeat(64)}`;

const cases: [name: string, body: object, expected: object][] = [
  ['a plain answer', { input: 'say hello there' }, { status: 'completed' }],
  [
    'an answer to a request with every field',
    {
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'say hello' }] }],
      instructions: 'Be brief.',
      metadata: { a: { b: [1, null] }, 'odd \u0000 \ud800': true },
      temperature: 0.5,
      x_context: { place: { city: 'Oslo' } },
      tools: [{ ...tools[0], description: 'Looks.', strict: true }],
    },
    { status: 'completed', instructions: 'Be brief.', temperature: 0.5 },
  ],
  ['a model that refuses', { input: 'break 400' }, { status: 'failed', error: { code: 'model_error' } }],
  ['a model that breaks off', { input: 'cut' }, { status: 'failed', output: [{ status: 'incomplete' }] }],
  ['a model that reaches its limit', { input: 'overflow' }, { status: 'incomplete', output: [{ type: 'message' }] }],
  ["a tool of the agent's own", { input: 'use reborn_time {}' }, { output: [{ type: 'message' }] }],
  [
    "the agent's tool activity",
    { input: 'say let me see\nuse reborn_time {}', include: ['reborn.tool_activity', 'something.else'] },
    {
      output: [
        { type: 'message' },
        {
          type: 'mcp_call',
          server_label: 'reborn',
          name: 'reborn_time',
          output: expect.stringContaining('utc'),
          error: null,
        },
        { type: 'message' },
      ],
    },
  ],
  [
    "the agent's tool activity before a call of the caller's tool",
    { input: 'use reborn_time {}\nuse lookup {}', tools, include: ['reborn.tool_activity'] },
    { output: [{ type: 'mcp_call' }, { type: 'function_call', name: 'lookup' }] },
  ],
  ['an unknown tool', { input: 'use nobody_knows {}' }, { output: [{ type: 'message' }] }],
  [
    "a tool of the caller's, with leading text",
    { input: 'say wait a moment\nuse lookup {"city":"Oslo"}', tools },
    { status: 'completed', output: [{ type: 'message' }, { type: 'function_call', name: 'lookup' }] },
  ],
  [
    'a thread that does not exist',
    { input: 'say hello', previous_response_id: unknownId },
    { status: 'failed', error: { code: 'previous_response_not_found', type: 'invalid_request_error' } },
  ],
];

describe.each(cases)('%s has the documented shape', (_name, body, expected) => {
  test('at once, and when it is retrieved or watched again', async ({ service }) => {
    const { response } = await create(service, body);
    expect(response).toMatchObject(expected);
    await expectSameLater(service, response);
  });

  test('as a stream, and when it is retrieved or watched again', async ({ service }) => {
    const { response } = await create(service, { ...body, stream: true });
    expect(response).toMatchObject(expected);
    await expectSameLater(service, response);
  });

  test('in the background', async ({ service }) => {
    const { response } = await create(service, { ...body, background: true });
    const id = response?.id ?? '';
    const watched = await get(service, `${id}?stream=true`);

    expect(watched.response).toMatchObject({ ...expected, background: true });
    await expectSameLater(service, watched.response);
  });
});

async function expectSameLater(service: Service, response: z.infer<typeof responseObject> | undefined): Promise<void> {
  const later = { ...response, model: 'reborn' };
  const whole = await get(service, `${response?.id}?stream=true`);
  const rest = await get(service, `${response?.id}?stream=true&starting_after=1`);

  expect((await get(service, response?.id ?? '')).response).toEqual(later);
  expect((await cancel(service, response?.id ?? '')).response).toEqual(later);
  expect(whole.response).toEqual(later);
  expect(rest.events).toEqual(whole.events.filter((event) => event.sequence_number > 1));
}

test('the events of a stream add up to the final object', async ({ service }) => {
  const { events, response } = await create(service, {
    input: 'say one two three\nuse lookup {}',
    tools,
    stream: true,
  });
  const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? event.item : []));
  const said = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');

  expect(done).toEqual(response?.output);
  expect(said).toBe('one two three');
});

test("a replay without the event log shows the agent's tool activity in the same places", async ({ service, home }) => {
  const body = { input: 'say let me see\nuse reborn_time {}', include: ['reborn.tool_activity'], stream: true };
  const live = await create(service, body);
  const id = live.response?.id ?? '';
  const ofTurn = `turn_events where replace(turn_id::text, '-', '') = '${id.slice(5, 37)}'`;
  await waitFor('the end of the log', async () => {
    const [end] = await home.query(`select from ${ofTurn} and events::text like '%turn-ended%'`);
    return end !== undefined;
  });
  await home.query(`delete from ${ofTurn}`);
  const replayed = await get(service, `${id}?stream=true`);

  const shown = ({ events }: typeof live) =>
    events.flatMap((event) =>
      event.type === 'response.output_item.added' || event.type === 'response.output_item.done'
        ? [[event.type, event.output_index, event.item.type, event.item.id]]
        : [],
    );
  expect(shown(replayed)).toEqual(shown(live));
  expect(replayed.response).toEqual({ ...live.response, model: 'reborn' });
});

test('running, queued and cancelled turns have the documented shape', async ({ service, model }) => {
  const running = (await create(service, { input: LONG, background: true })).response?.id ?? '';
  const queued =
    (await create(service, { input: 'say x', background: true, previous_response_id: running })).response?.id ?? '';
  const streams = [get(service, `${running}?stream=true`), get(service, `${queued}?stream=true`)];
  await waitFor('the turn to run', async () => (await get(service, running)).response?.status === 'in_progress');
  await waitFor('the model to be asked', async () => model.seen.some(({ messages }) => messages.at(-1)?.text === LONG));

  expect((await get(service, queued)).response).toMatchObject({ status: 'queued' });
  expect((await cancel(service, queued)).response).toMatchObject({ status: 'cancelled' });
  expect((await cancel(service, running)).response).toMatchObject({ status: 'cancelled' });
  for (const { response, events } of await Promise.all(streams)) {
    expect(events.at(-1)?.type).toBe('response.failed');
    await expectSameLater(service, response);
  }
});

const LONG = 'count 2000 every 10';

test('a turn that takes too long has the documented shape', async ({ startAnother, service }) => {
  const hurried = await startAnother({ RESPONSES_TIMEOUT_SECS: '1' });
  const { response } = await checkedAnswer(await hurried.post({ input: 'count 1000 every 50' }));
  await hurried.close();

  expect(response).toMatchObject({ status: 'failed', error: { code: 'turn_timeout', type: 'server_error' } });
  await expectSameLater(service, response);
});

test('a thread that waits for a tool refuses every wrong input in the documented shape', async ({ service }) => {
  const paused = (await create(service, { input: 'use lookup {}', tools })).response;
  const [call] = paused?.output ?? [];
  const answer = async (items: unknown) => create(service, { input: items, previous_response_id: paused?.id });
  const output = (call_id: unknown) => ({ type: 'function_call_output', call_id, output: 'sunny' });
  const code = async (items: unknown) => (await answer(items)).error?.code;

  expect(await code('say hello')).toBe('tool_output_missing');
  expect(await code([output('call_wrong')])).toBe('call_id_mismatch');
  expect(await code([output('')])).toBe('invalid_request');
  const right = await answer([output(call && 'call_id' in call ? call.call_id : '')]);
  expect(right.response).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
  expect(await code([output('call_wrong')])).toBe('no_pending_call');
  await expectSameLater(service, right.response);
});

test('a message queued behind a turn that then waits is answered after the tool result', async ({ service }) => {
  const first = (await create(service, { input: 'count 20 every 50', background: true })).response;
  const thread = { previous_response_id: first?.id };
  const asked = (await create(service, { input: 'use lookup {}', tools, background: true, ...thread })).response;
  const behind = create(service, { input: 'say hello', ...thread }); // answered late
  const call = await waitFor('the call', async () => (await get(service, asked?.id ?? '')).response?.output[0]);
  const call_id = 'call_id' in call ? call.call_id : '';
  const output = { type: 'function_call_output', call_id, output: 'sunny' };
  await create(service, { input: [output], previous_response_id: asked?.id });

  const { response } = await behind;
  expect(response).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'hello' }] }] });
  await expectSameLater(service, response);
});

test('a refused request has the documented shape', async ({ service, startAnother }) => {
  const keyed = (body: object) =>
    service.request('/api/v1/responses', {
      method: 'POST',
      body: JSON.stringify({ model: 'm', ...body }),
      headers: { 'idempotency-key': 'the same' },
    });
  const refuse = async (answer: Response) => {
    const { status, error } = await checkedAnswer(answer);
    return [status, error?.type, error?.code, error?.param];
  };
  await checkedAnswer(await keyed({ input: 'say one' }));

  expect(await refuse(await service.post({ input: '' }))).toEqual([...INVALID, 'input']);
  expect(await refuse(await service.post({ input: 'x', tools: [{ type: 'web_search' }] }))).toEqual(INVALID_TOOL);
  expect(await refuse(await service.post({ input: 'x', previous_response_id: 'x' }))).toEqual(NO_PREVIOUS);
  expect(await refuse(await keyed({ input: 'say two' }))).toEqual([
    409,
    'conflict_error',
    'idempotency_mismatch',
    null,
  ]);
  for (const route of [unknownId, `${unknownId}?stream=true`, `${unknownId}/input_items`, 'nonsense', 'a/b/c'])
    expect(await refuse(await service.request(`/api/v1/responses/${route}`))).toEqual(NOT_FOUND);
  expect(await refuse(await service.request('/api/v1/responses', { method: 'POST', body: '{' }))).toEqual(BROKEN);

  const limited = await startAnother({ CHAT_RATE_PER_MINUTE: '1' });
  await checkedAnswer(await limited.post({ input: 'say hello' }));
  const tooMany = await limited.post({ input: 'say hello' });
  await limited.close();
  expect(Number(tooMany.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refuse(tooMany)).toEqual([429, 'rate_limit_error', 'rate_limited', null]);
});

const INVALID = [400, 'invalid_request_error', 'invalid_request'];
const INVALID_TOOL = [400, 'invalid_request_error', 'invalid_tool', 'tools[0].type'];
const NO_PREVIOUS = [400, 'invalid_request_error', 'previous_response_not_found', 'previous_response_id'];
const NOT_FOUND = [404, 'not_found_error', 'not_found', null];
const BROKEN = [...INVALID, null];

test('input items and models are lists of the documented shape', async ({ service }) => {
  const pixel = 'data:image/png;base64,iVBORw0KGgo=';
  const { response } = await create(service, {
    input: [
      { role: 'system', content: 'Be kind.' },
      { role: 'developer', content: [] },
      { type: 'function_call', call_id: 'c', name: 'lookup', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'sunny' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'It is sunny.' }] },
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: pixel },
          { type: 'input_file', file_data: pixel, filename: 'a.png' },
          { type: 'input_file', file_data: pixel },
          { type: 'input_text', text: 'say thanks' },
        ],
      },
    ],
  });
  const list = async (query: string) => {
    const answer = await service.request(`/api/v1/responses/${response?.id}/input_items${query}`);
    return itemPage.parse(await answer.json());
  };
  const all = await list('?order=asc');
  expect(all.data.map((item) => ('role' in item ? item.role : item.type))).toEqual([
    'system',
    'developer',
    'function_call',
    'function_call_output',
    'assistant',
    'user',
  ]);
  expect((await list('')).data).toEqual(all.data.toReversed());
  expect(await list(`?order=asc&limit=2&after=${all.data[1]?.id}`)).toMatchObject({ has_more: true });
  expect(await list(`?order=asc&after=${all.last_id}`)).toMatchObject({ data: [], first_id: null, has_more: false });
  expectStrict(itemPage, all, { free: /\.filename$/ });

  const models = await (await service.request('/api/v1/models')).json();
  expect(modelList.parse(models).data.map(({ id }) => id)).toContain('reborn');
  expectStrict(modelList, models);
});

describe('the schemas are strict', () => {
  test.for(cases)('%s', async ([_name, body], { service }) => {
    const { events, response } = await create(service, { ...body, stream: true });
    expectStrict(responseObject, response);
    for (const event of events) expectStrict(streamEvent, event);
  });

  test('an error', async ({ service }) => {
    expectStrict(errorEnvelope, await (await service.post({ input: '' })).json());
  });
});

/** No field may be added, left out or have another type, except inside free-form fields. */
function expectStrict(schema: z.ZodType, value: unknown, { free = FREE } = {}): void {
  expect(schema.safeParse(value).success).toBe(true);
  const passed = [...changesOf(value, '')].filter(([, changed]) => schema.safeParse(changed).success);
  expect(passed.map(([change]) => change).filter((change) => !free.test(change))).toEqual([]);
}

/** Only the create that begins a response says where its input is. */
const FREE = /\.(metadata|parameters)\.|^\.response\.placed$/;

function* changesOf(value: unknown, path: string): Generator<[change: string, changed: unknown]> {
  if (typeof value !== 'object' || value === null) {
    yield [path, typeof value === 'number' ? 'x' : 7];
    return;
  }
  if (Array.isArray(value)) {
    yield [path, 'x'];
    yield [`${path}[+]`, [...value, 'surprise']];
    for (const [index, inner] of value.entries())
      for (const [change, changed] of changesOf(inner, `${path}[${index}]`)) yield [change, value.with(index, changed)];
    return;
  }
  yield [path, 'x'];
  yield [`${path}.surprise`, { ...value, surprise: 1 }];
  for (const [key, inner] of Object.entries(value)) {
    yield [`${path}.${key}`, Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))];
    for (const [change, changed] of changesOf(inner, `${path}.${key}`)) yield [change, { ...value, [key]: changed }];
  }
}
