import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { streamEvent } from '#channels/responses/response/stream-event.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { openResponses, responseOf } from '../../support/responses-socket.ts';
import { textOf } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey();

const tools = ['first', 'second'].map((name) => ({ type: 'function', name, parameters: { type: 'object' } }));
const output = (callId: string | undefined, said: string) => ({
  type: 'function_call_output',
  call_id: callId,
  output: said,
});
const NOT_FOUND = { type: 'error', status: 400, error: { code: 'previous_response_not_found' } };

test('each message is a create, and its events are the same as in a stream', async ({ service }) => {
  for (const path of ['/v1/responses', '/api/v1/responses']) {
    const socket = await openResponses(service.url, path);
    const end = await socket.ask({ input: 'say one two', stream: true, background: true, stream_options: {} });
    expect(textOf(responseOf(end))).toBe('one two');
    for (const event of socket.seen) streamEvent.parse(event);
    expect(socket.seen.map(({ sequence_number: number }) => number)).toEqual(socket.seen.map((_, index) => index));

    const id = responseOf(end).id;
    const streamed = await (await service.request(`/api/v1/responses/${id}?stream=true`)).text();
    expect(streamed.match(/^event: .*$/gm)).toEqual(socket.seen.map(({ type }) => `event: ${type}`));
    const next = responseOf(await socket.ask({ input: 'recite', previous_response_id: id }));
    expect(textOf(next)).toContain('one two');
    expect(next.previous_response_id).toBe(id);
    socket.close();
  }
});

test('messages are answered one after the other, and what can not be read is an error', async ({ service }) => {
  const socket = await openResponses(service.url);
  for (const word of ['a', 'b', 'c', 'd', 'e', 'f']) socket.send({ input: `say ${word}`, stream_id: word });
  await socket.end(6);
  expect(socket.ends().map((end) => textOf(responseOf(end)))).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  const lanes = socket.seen.map((event) => event.stream_id).join('');
  expect(lanes).toMatch(/^a+b+c+d+e+f+$/);

  socket.socket.send('no JSON');
  socket.socket.send(Buffer.from('{}'), { binary: true });
  socket.socket.send('[]');
  socket.send({ type: 'response.cancel', stream_id: 'lane' });
  socket.send({ input: 'say x', generate: false });
  socket.send({ input: '' });
  await socket.end(12);
  const errors = socket.ends().slice(6);
  expect(errors.map(({ type, status, error }) => [type, status, error?.code, error?.param])).toEqual([
    ['error', 400, 'invalid_request', null],
    ['error', 400, 'invalid_request', null],
    ['error', 400, 'invalid_request', null],
    ['error', 400, 'invalid_request', 'type'],
    ['error', 400, 'invalid_request', 'generate'],
    ['error', 400, 'invalid_request', 'input'],
  ]);
  expect(errors[3]?.stream_id).toBe('lane');
  expect(textOf(responseOf(await socket.ask({ input: 'say still here' })))).toBe('still here');
  socket.close();
});

test('the token is checked before the upgrade', async ({ service }) => {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: 'Bearer wrong' },
  });
  const status = await new Promise((resolve) =>
    socket.once('unexpected-response', (_, answer) => resolve(answer.statusCode)),
  );
  expect(status).toBe(401);
  socket.on('error', () => {});
  socket.terminate();
  expect((await service.request('/v1/responses')).status).toBe(404);
});

test('a response with store: false is continued from the memory of its socket alone', async ({ service, model }) => {
  const socket = await openResponses(service.url);
  const first = responseOf(await socket.ask({ input: 'say a pear', store: false, instructions: 'Be kind.' }));
  expect(first.store).toBe(false);
  const second = responseOf(await socket.ask({ input: 'say an egg', store: false, previous_response_id: first.id }));
  expect(second.previous_response_id).toBe(first.id);
  expect(second.id.slice(-32)).not.toBe(first.id.slice(-32));
  expect(
    model.seen
      .at(-1)
      ?.messages.map(({ role, text }) => [role, text])
      .slice(-3),
  ).toEqual([
    ['user', '<instructions>\nBe kind.\n</instructions>\n\nsay a pear'],
    ['assistant', 'a pear'],
    ['user', 'say an egg'],
  ]);
  for (const { id } of [first, second]) expect((await service.request(`/api/v1/responses/${id}`)).status).toBe(404);

  const other = await openResponses(service.url);
  expect(await other.ask({ input: 'say x', store: false, previous_response_id: second.id })).toMatchObject(NOT_FOUND);
  expect(responseOf(await other.ask({ input: 'say fresh', store: false })).status).toBe('completed');
  const overHttp = await service.ask('say x', { previous_response_id: second.id });
  expect(overHttp.error?.code).toBe('previous_response_not_found');

  // Only the newest one is kept.
  expect(await socket.ask({ input: 'say x', previous_response_id: first.id })).toMatchObject(NOT_FOUND);
  expect(textOf(responseOf(await socket.ask({ input: 'say on', previous_response_id: second.id })))).toBe('on');
  socket.close();
  other.close();
});

test('parallel calls of a response with store: false surface one by one', async ({ service }) => {
  const socket = await openResponses(service.url);
  const more = { store: false, tools };
  const first = responseOf(await socket.ask({ ...more, input: 'use first {}\nuse second {}' }));
  const [one] = first.output;
  expect(one?.name).toBe('first');
  const input = [output(one?.call_id, 'done one')];
  const second = responseOf(await socket.ask({ ...more, input, previous_response_id: first.id }));
  const [two] = second.output;
  expect(two?.name).toBe('second');
  const last = await socket.ask({
    ...more,
    input: [output(two?.call_id, 'done two')],
    previous_response_id: second.id,
  });
  expect(textOf(responseOf(last))).toBe('result: done two');
  expect(await (await service.request('/api/gates')).json()).toMatchObject({ gates: [] });
  socket.close();
});

test('a failed continuation evicts the response from memory', async ({ service }) => {
  const socket = await openResponses(service.url);
  const first = responseOf(await socket.ask({ input: 'say a pear', store: false }));
  const wrong = await socket.ask({
    input: [output('call_missing', 'x')],
    store: false,
    previous_response_id: first.id,
  });
  expect(wrong).toMatchObject({ type: 'error', status: 400, error: { code: 'no_pending_call' } });
  expect(await socket.ask({ input: 'say x', store: false, previous_response_id: first.id })).toMatchObject(NOT_FOUND);

  const second = responseOf(await socket.ask({ input: 'say a pear', store: false }));
  expect(responseOf(await socket.ask({ input: 'break 400', previous_response_id: second.id })).status).toBe('failed');
  expect(await socket.ask({ input: 'say x', previous_response_id: second.id })).toMatchObject(NOT_FOUND);
  socket.close();
});

test('unknown, malformed and foreign responses look alike', async ({ service }) => {
  const { token } = await addUser(service, 'Ann');
  const mine = await service.ask('say mine');
  const socket = await openResponses(service.url, '/v1/responses', token);
  for (const id of [mine.id, 'resp_missing', `resp_${'0'.repeat(64)}`])
    expect(await socket.ask({ input: 'say x', previous_response_id: id })).toMatchObject(NOT_FOUND);
  socket.close();
});

test('a message that is too large closes the socket', async ({ service }) => {
  const socket = await openResponses(service.url);
  socket.send({ input: 'x'.repeat(15 * 1024 * 1024) });
  expect((await socket.closed()).code).toBe(1009);
});

test('a user who is removed loses the socket', async ({ service }) => {
  const { id, token } = await addUser(service, 'Bob');
  const socket = await openResponses(service.url, '/v1/responses', token);
  await service.request(`/api/users/${id}`, { method: 'DELETE' });
  expect((await socket.closed()).code).toBe(4401);
});

test('messages count against the rate limit of the user', async ({ startAnother }) => {
  const limited = await startAnother({ CHAT_RATE_PER_MINUTE: '2' });
  const socket = await openResponses(limited.url);
  const ends = [];
  for (let i = 0; i < 3; i++) ends.push(await socket.ask({ input: 'say x' }));
  expect(ends.at(-1)).toMatchObject({ type: 'error', status: 429, error: { code: 'rate_limited' } });
  socket.close();
  await limited.close();
});

test('when the service stops, the socket closes and the response continues elsewhere', async ({
  service,
  startAnother,
}) => {
  const stopping = await startAnother();
  const socket = await openResponses(stopping.url);
  socket.send({ input: 'count 20 every 100' });
  const created = await waitFor('its first event', async () => socket.seen[0]);
  await waitFor('some text', async () => socket.seen.length > 6);
  const [{ code }] = await Promise.all([socket.closed(), stopping.close()]);
  expect(code).toBe(1001);
  const { id } = responseOf(created);
  await waitFor('its end', async () => (await service.get(id)).status === 'completed');
  const again = await openResponses(service.url);
  const next = responseOf(await again.ask({ input: 'recite', previous_response_id: id }));
  expect(textOf(next)).toContain('count 20 every 100');
  again.close();
});
