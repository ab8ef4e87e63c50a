import { expect } from 'vitest';
import { checkedAnswer } from '../../support/checked-answer.ts';
import { journey } from '../../support/journey.ts';
import { followScript, type SeenPrompt } from '../../support/scripted-model.ts';
import { textOf, type WireResponse } from '../../support/service.ts';

/** `fumble N ANSWER`: says something else N times, then ANSWER. */
const test = journey()
  .override('settings', { CHAT_RATE_PER_MINUTE: '1000' })
  .override('modelOptions', {
    decide: (prompt: SeenPrompt) => {
      const users = prompt.messages.filter(({ role }) => role === 'user').map(({ text }) => text);
      const first = users.findLastIndex((said) => said.includes('fumble'));
      const [, times, answer] = /fumble (\d+) (.+)/.exec(users[first] ?? '') ?? [];
      const isAskedAgain = users.at(-1)?.startsWith("Your answer can't be used") ?? false;
      if (answer === undefined || (first < users.length - 1 && !isAskedAgain)) return followScript(prompt);
      return { pieces: [users.length - 1 - first < Number(times) ? 'Here it is:' : answer] };
    },
  });

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
const format = { type: 'json_schema', name: 'number', strict: true, schema };
const text = { format };
const textFormatOf = (response: WireResponse) => (response as unknown as { text: { format: unknown } }).text.format;

test('a schema reaches the model and is echoed, and the answer fits it', async ({ service, model }) => {
  const response = await service.ask('say {"n": 7}', { text });

  expect(response.status).toBe('completed');
  expect(JSON.parse(textOf(response))).toEqual({ n: 7 });
  expect(textFormatOf(response)).toEqual({ ...format, description: null });
  expect(model.seen.at(-1)?.format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'number', strict: true, schema },
  });
  expect(model.seen.at(-1)?.messages[0]?.text).toContain(JSON.stringify(schema));
  const found = await (await service.request(`/api/v1/responses/${response.id}`)).json();
  expect(textFormatOf(found as WireResponse)).toEqual({ ...format, description: null });
});

test('a message of the chat may have a schema, which is checked before it is accepted', async ({ service }) => {
  const send = async (output_schema: object) => {
    const body = JSON.stringify({ message: 'say {"n": 7}', output_schema });
    return (await service.request('/api/chat', { method: 'POST', body })).json();
  };

  expect(await send(schema)).toMatchObject({ status: 'completed', message: '{"n": 7}' });
  expect(await send({ type: 'nothing' })).toMatchObject({ error: { param: 'output_schema' } });
});

test('a model whose answer does not fit is asked once more with the problem, and both calls are counted', async ({
  service,
  model,
}) => {
  const response = await service.ask('fumble 1 {"n": 8}', { text });

  expect(textOf(response)).toBe('{"n": 8}');
  expect(response.output).toHaveLength(1);
  expect(model.seen.at(-1)?.messages.slice(-2)).toEqual([
    { role: 'assistant', text: 'Here it is:' },
    { role: 'user', text: "Your answer can't be used: it is not JSON. Answer again, with JSON only." },
  ]);
  const plain = await service.ask('say {"n": 8}', { text });
  expect(response.usage.output_tokens).toBeGreaterThan(plain.usage.output_tokens);
  const next = await service.ask('recite', { previous_response_id: response.id });
  expect(textOf(next)).not.toContain('Here it is:');
});

test('a turn whose second answer does not fit either fails with invalid_output', async ({ service }) => {
  const response = await service.ask('fumble 2 {"n": 8}', { text });

  expect(response).toMatchObject({ status: 'failed', output: [], error: { code: 'invalid_output' } });
  expect(response.error?.message).toContain('it is not JSON');
  expect(textOf(await service.ask('say on', { previous_response_id: response.id }))).toBe('on');
});

test('json_object accepts any object and nothing else', async ({ service }) => {
  const any = { text: { format: { type: 'json_object' } } };

  expect(textOf(await service.ask('say {"a":[1]}', any))).toBe('{"a":[1]}');
  expect(await service.ask('say [1]', any)).toMatchObject({ status: 'failed', error: { code: 'invalid_output' } });
});

test('a stream shows only the answer that fits', async ({ service }) => {
  const { events, response } = await checkedAnswer(
    await service.post({ input: 'fumble 1 {"n": 9}', text, stream: true }),
  );
  const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));

  expect(deltas.join('')).toBe('{"n": 9}');
  expect(response?.status).toBe('completed');
});

test('words beside a tool call are kept in the thread and left out of the output', async ({ service }) => {
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
  const asked = await service.ask('say Let me look.\nuse look {}', { text, tools });
  expect(asked.output.map(({ type }) => type)).toEqual(['function_call']);

  const { items } = (await (await service.request(`/api/threads/${threadOf(asked)}/items`)).json()) as {
    items: { type: string; text?: string }[];
  };
  expect(JSON.stringify(items)).toContain('Let me look.');
});

const threadOf = ({ id }: WireResponse) => id.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

test.for<[param: string, sent: unknown]>([
  ['text.format.type', { type: 'xml' }],
  ['text.format.name', { type: 'json_schema', name: 'a b', schema: {} }],
  ['text.format.schema', { type: 'json_schema', name: 'a' }],
  ['text.format.schema', { type: 'json_schema', name: 'a', schema: { type: 'objekt' } }],
  ['text.format.schema', { type: 'json_schema', name: 'a', schema: { description: 'x'.repeat(65_536) } }],
  ['text.format.strict', { type: 'json_schema', name: 'a', schema: {}, strict: 'yes' }],
])('a format that can not be honoured is refused: %s', async ([param, sent], { service }) => {
  const { status, error } = await checkedAnswer(await service.post({ input: 'say x', text: { format: sent } }));

  expect(status).toBe(400);
  expect(error).toMatchObject({ code: 'invalid_request', param });
});

test('without a format, and with an ill-typed text, the answer is prose', async ({ service }) => {
  for (const sent of [null, {}, 'x', { format: null }, { format: { type: 'text' } }])
    expect(textOf(await service.ask('say prose', { text: sent }))).toBe('prose');
});

test('the usage names the model that answered, under its real name', async ({ service }) => {
  expect((await service.ask('say x', { model: 'no-such-model' })).usage).toMatchObject({ model: 'scripted' });
});
