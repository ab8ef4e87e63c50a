import OpenAI from 'openai';
import type {
  ResponseSteerEvent,
  ResponsesClientEvent,
  ResponsesServerEvent,
} from 'openai/resources/responses/responses';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { expect, onTestFinished } from 'vitest';
import { steerEvent } from '#channels/responses/socket/steer-messages.ts';
import { createHeldTool } from '../../support/held-tool.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const step = createHeldTool();
const test = journey().override('parts', { tools: [step.tool] });
const model = 'any';
const lookup = {
  type: 'function',
  name: 'lookup',
  description: null,
  parameters: { type: 'object', properties: {} },
  strict: null,
} as const;

test('a message steers a response of its socket: accepted, incomplete, and the next response follows', async ({
  service,
}) => {
  const socket = connect(service);
  socket.create({ input: 'use step {}\nuse step {}', instructions: 'Be brief.', stream_id: 'lane' });
  await step.begun();
  const id = await socket.newest();
  socket.steer({ previous_response_id: id, input: 'say one' });
  const second: ResponseSteerEvent['input'] = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'say two' }] },
  ];
  socket.steer({ previous_response_id: id, input: second });
  await socket.until('response.steer.accepted', 2);
  step.release();
  await socket.until('response.completed');

  expect(socket.types().filter((type) => !/\.in_progress|_text|_part|_item/.test(type))).toEqual([
    'response.created',
    'response.steer.accepted',
    'response.steer.accepted',
    'response.incomplete',
    'response.created',
    'response.incomplete',
    'response.created',
    'response.completed',
  ]);
  const accepted = socket.of('response.steer.accepted');
  expect(accepted.map(({ steer }) => steer.previous_response_id)).toEqual([id, id]);
  expect(new Set(accepted.map(({ steer }) => steer.id)).size).toBe(2);
  for (const event of accepted) expect(steerEvent.parse(event).stream_id).toBe('lane');
  const [first] = socket.of('response.incomplete');
  expect(first?.response).toMatchObject({ id, incomplete_details: { reason: 'steered' }, output: [] });
  const [last] = socket.of('response.completed');
  expect(last?.response).toMatchObject({ previous_response_id: id, instructions: 'Be brief.' });
  expect(last?.response.output).toMatchObject([{ content: [{ text: 'two' }] }]);
});

test('a message that comes too late for a step follows the response that it did not end', async ({ service }) => {
  const socket = connect(service);
  socket.create({ input: 'count 10 every 30' });
  await socket.until('response.output_text.delta');
  socket.steer({ previous_response_id: await socket.newest(), input: 'say after' });
  await socket.until('response.completed', 2);
  expect(socket.of('response.incomplete')).toEqual([]);
  expect(socket.of('response.completed')[1]?.response.output).toMatchObject([{ content: [{ text: 'after' }] }]);
});

test('behind a response that waits for a tool result, a message is pending until the result was sent', async ({
  service,
}) => {
  const socket = connect(service);
  socket.create({ input: 'use lookup {"city":"Oslo"}', tools: [lookup] });
  await socket.until('response.completed');
  const id = await socket.newest();
  socket.steer({ previous_response_id: id, input: 'say and now' });
  await socket.until('response.steer.pending');
  const [pending] = socket.of('response.steer.pending');
  const [stub] = pending?.required_input ?? [];
  expect(pending).toMatchObject({ reason: 'waiting_for_required_input', steer: { previous_response_id: id } });
  if (stub?.type !== 'function_call_output') throw new Error('No result is asked for.');
  expect(stub.name).toBe('lookup');

  socket.create({ previous_response_id: id, input: [{ ...stub, output: 'snow' }], tools: [lookup] });
  await socket.until('response.completed', 3);
  const texts = socket.of('response.completed').map(({ response }) => JSON.stringify(response.output));
  expect(texts[1]).toContain('result: snow');
  expect(texts[2]).toContain('and now');
});

test('a response that is not stored is steered, too, and the socket remembers what came of it', async ({ service }) => {
  const socket = connect(service);
  socket.create({ input: 'use step {"kept":false}', store: false });
  await step.begun();
  socket.steer({ previous_response_id: await socket.newest(), input: 'say a pear' });
  await socket.until('response.steer.accepted');
  step.release();
  await socket.until('response.completed');
  const ids = socket.of('response.created').map(({ response }) => response.id);
  for (const id of ids)
    await waitFor('it to be gone', async () => (await service.request(`/v1/responses/${id}`)).status === 404);

  socket.create({ input: 'recite', previous_response_id: ids[1] ?? '', store: false });
  await socket.until('response.completed', 2);
  expect(JSON.stringify(socket.of('response.completed')[1])).toMatch(/kept.*a pear/);
});

test('a message that can not steer is returned with a code of the public format', async ({ service }) => {
  const socket = connect(service);
  socket.create({ input: 'say done' });
  await socket.until('response.completed');
  const id = await socket.newest();
  socket.create({ input: 'use step {}' });
  await step.begun();
  const running = await socket.newest();
  const other = `resp_${'0'.repeat(64)}`;
  const spoken = { type: 'message', role: 'assistant', content: 'x' } as unknown as { role: 'user' };
  const cases: [string, ResponseSteerEvent['input'], string][] = [
    [other, 'x', 'response_not_found'],
    [id, 'x', 'response_already_completed'],
    [running, ' ', 'invalid_input'],
    [running, [], 'invalid_input'],
    [running, [spoken as never], 'invalid_input'],
  ];
  for (const [previous_response_id, input] of cases) socket.steer({ previous_response_id, input });
  await socket.until('response.steer.failed', cases.length);
  const failed = socket.of('response.steer.failed');
  expect(failed.map(({ error, steer }) => [steer.previous_response_id, steer.input, error.code])).toEqual(cases);
  expect(failed.every(({ steer }) => steer.id === undefined)).toBe(true);

  for (let count = 0; count < 17; count++) socket.steer({ previous_response_id: running, input: `say ${count}` });
  await socket.until('response.steer.failed', cases.length + 1);
  expect(socket.of('response.steer.failed').at(-1)).toMatchObject({
    error: { code: 'too_many_pending_steers' },
    steer: { input: 'say 16' },
  });
  expect(socket.of('response.steer.accepted')).toHaveLength(16);
  step.release();
  await socket.until('response.completed', 2);
});

test('a message that is withdrawn after it was accepted is returned as failed', async ({ service }) => {
  const socket = connect(service);
  socket.create({ input: 'use step {}' });
  await step.begun();
  const running = await socket.newest();
  socket.steer({ previous_response_id: running, input: 'say gone' });
  await socket.until('response.steer.accepted');
  const steer = socket.of('response.steer.accepted')[0]?.steer;
  const uuid = (hex = '') => hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
  const turn = uuid(steer?.id.slice('steer_'.length));
  const route = `/api/threads/${uuid(running.slice(-32))}/queue/${turn}`;
  expect((await service.request(route, { method: 'DELETE' })).status).toBe(204);
  step.release();
  await socket.until('response.steer.failed');
  expect(socket.of('response.steer.failed')[0]).toMatchObject({
    steer: { ...steer, input: 'say gone' },
    error: { code: 'successor_creation_failed' },
  });
  expect(socket.of('response.completed')[0]?.response.id).toBe(running);
});

/** A socket of the published client. */
function connect({ url }: Service) {
  const socket = new ResponsesWS(new OpenAI({ baseURL: `${url}/v1`, apiKey: TOKEN, maxRetries: 0 }));
  onTestFinished(() => socket.close());
  const seen: ResponsesServerEvent[] = [];
  socket.on('event', (event) => seen.push(event));
  type Of<Type> = Extract<ResponsesServerEvent, { type: Type }>;
  const of = <Type extends ResponsesServerEvent['type']>(type: Type) =>
    seen.filter((event): event is Of<Type> => event.type === type);
  return {
    of,
    types: () => seen.map(({ type }) => type),
    create: (body: Omit<Extract<ResponsesClientEvent, { type: 'response.create' }>, 'type'> & { stream_id?: string }) =>
      socket.send({ type: 'response.create', model, ...body }),
    steer: (body: Omit<ResponseSteerEvent, 'type'>) => socket.send({ type: 'response.steer', ...body }),
    until: (type: ResponsesServerEvent['type'], count = 1) =>
      waitFor(`${count} of ${type}`, async () => seen.filter((event) => event.type === type).length >= count),
    newest: () => waitFor('a response', async () => of('response.created').at(-1)?.response.id),
  };
}
