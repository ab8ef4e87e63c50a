import pg from 'pg';
import { expect, vi } from 'vitest';
import { journey } from '../../support/journey.ts';
import { textOf } from '../../support/service.ts';

const test = journey();

test('a message gets an answer, and the answer can be retrieved', async ({ service }) => {
  const response = await service.ask('say hello there');

  expect(response).toMatchObject({ status: 'completed', model: 'm', error: null });
  expect(textOf(response)).toBe('hello there');
  expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15, cost: null });
  expect(await service.get(response.id)).toEqual({ ...response, model: 'reborn' });
});

test("the thread's history is replayed", async ({ service }) => {
  const first = await service.ask('say one');
  const second = await service.ask('recite', { previous_response_id: first.id });

  const messages = JSON.parse(textOf(second)) as { role: string; text: string }[];
  expect(messages.slice(1).map(({ role, text }) => [role, text])).toEqual([
    ['user', 'say one'],
    ['assistant', 'one'],
    ['user', 'recite'],
  ]);
});

test('a failed model call fails the turn, and the thread continues', async ({ service }) => {
  const failed = await service.ask('break 400');
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'model_error' } });
  expect(failed.error?.message).toContain('400');

  const next = await service.ask('say again', { previous_response_id: failed.id });
  expect(textOf(next)).toBe('again');
});

test('a model stream that breaks off fails the turn, which keeps the text so far', async ({ service }) => {
  const response = await service.ask('cut');

  expect(response).toMatchObject({ status: 'failed', error: { code: 'model_error' } });
  expect(textOf(response)).toBe('half a ');
});

test('a turn is incomplete when the model reaches its output limit', async ({ service }) => {
  expect(await service.ask('overflow')).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  });
});

test('a built-in tool runs, and its call is not part of the response', async ({ service }) => {
  const response = await service.ask('use reborn_time {"time_zone":"Europe/Oslo"}');

  expect(response.output.map((item) => item.type)).toEqual(['message']);
  expect(textOf(response)).toContain('Europe/Oslo');
  expect(response.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
});

test('the policy of a call is looked up once per call', async ({ service }) => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await service.ask('use reborn_time {}\nuse reborn_time {}');

  const looks = query.mock.calls.filter((given) => JSON.stringify(given).includes('tool_policy:reborn_time'));
  expect(looks).toHaveLength(2);
});

test('a call of an unknown tool gives the model a readable error', async ({ service }) => {
  expect(textOf(await service.ask('use nobody_knows {}'))).toContain('no tool named "nobody_knows"');
});

test('several calls run in order, and the model is asked again when all have results', async ({ service, model }) => {
  const tools = ['first', 'second'].map((name) => ({ type: 'function', name }));
  const paused = await service.ask('use reborn_time {}\nuse first {}\nuse second {}', { tools });
  expect(paused.output).toMatchObject([{ type: 'function_call', name: 'first' }]);

  const output = (call_id = '') => [{ type: 'function_call_output', call_id, output: 'done' }];
  const asked = model.seen.length;
  const again = await service.ask(output(paused.output[0]?.call_id), { previous_response_id: paused.id });
  expect(again.output).toMatchObject([{ type: 'function_call', name: 'second' }]);
  expect(model.seen).toHaveLength(asked);

  const done = await service.ask(output(again.output[0]?.call_id), { previous_response_id: again.id });
  expect(textOf(done)).toBe('result: done');
});

test('text with a null character or half a surrogate pair is kept', async ({ service }) => {
  const odd = 'say a\u0000b\ud800c';
  const first = await service.ask(odd);
  const second = await service.ask('recite', { previous_response_id: first.id });

  expect(first.status).toBe('completed');
  expect(textOf(second)).toContain('a\\u0000b');
});

test('a seventeenth message waiting on one thread is refused', async ({ service }) => {
  const first = await service.ask('say ready');
  const next = { previous_response_id: first.id };
  const held = await service.ask('hang', { ...next, background: true });
  const sends = Array.from({ length: 17 }, () => service.post({ input: 'say next', ...next }));

  expect((await Promise.race(sends)).status).toBe(409); // the others wait
  await service.request(`/api/v1/responses/${held.id}/cancel`, { method: 'POST', body: '{}' });
  const statuses = (await Promise.all(sends)).map((response) => response.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(16);
});
