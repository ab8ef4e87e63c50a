import { expect } from 'vitest';
import { streamedChunk } from '#channels/chat-completions/response/chunks.ts';
import { chatCompletion } from '#channels/chat-completions/response/completion.ts';
import { failedTurn } from '#channels/model-api/failed-turn.ts';
import { errorEnvelope } from '#http/routes/error-envelope.ts';
import type { Home } from '../../support/fresh-home.ts';
import { fullRound } from '../../support/full-round.ts';
import { journey } from '../../support/journey.ts';
import { type Answer, followScript, type SeenPrompt } from '../../support/scripted-model.ts';
import type { Service } from '../../support/service.ts';

/** Asked to talk, the model uses a tool of the agent and one of the caller, and says something before each. */
function decide(prompt: SeenPrompt): Answer {
  const { messages } = prompt;
  if (messages.findLast(({ role }) => role === 'user')?.text !== 'talk') return followScript(prompt);
  const results = messages.filter(({ role }) => role === 'tool').length;
  if (results === 0) return { pieces: ['Let me see.'], calls: [{ name: 'reborn_time', arguments: '{}' }] };
  return results === 1
    ? { pieces: ['Almost ', 'there.'], calls: [{ name: 'first', arguments: '{}' }] }
    : { pieces: ['Done.'] };
}

const test = journey()
  .override('settings', { CHAT_RATE_PER_MINUTE: '100000', RESPONSES_TIMEOUT_SECS: '8' })
  .override('modelOptions', { decide })
  .override('parts', { undeliveredEveryMs: 200 });

const tools = ['first', 'second'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}));
const user = (content: unknown) => ({ role: 'user', content });

const post = (service: Service, messages: unknown, more: object = {}, headers: Record<string, string> = {}) =>
  service.request('/api/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages, ...more }),
    headers,
  });

async function ask(service: Service, messages: unknown, more: object = {}) {
  const answer = await post(service, messages, more);
  const body: unknown = await answer.json();
  expect(body).toHaveProperty('choices');
  const completion = chatCompletion.parse(body);
  const [choice] = completion.choices;
  return { ...completion, message: choice?.message, finish: choice?.finish_reason };
}

type Asked = Awaited<ReturnType<typeof ask>>;

const callOf = ({ message }: Asked) => {
  const [call] = message?.tool_calls ?? [];
  if (!call) throw new Error(`The message has no call: ${JSON.stringify(message)}`);
  return call;
};
const output = (asked: Asked, content: unknown) => ({ role: 'tool', tool_call_id: callOf(asked).id, content });
const threadOf = ({ id }: { id: string }) => id.slice(-32);

async function openGates(service: Service): Promise<{ thread_id: string }[]> {
  const page = (await (await service.request('/api/gates?limit=100')).json()) as { gates: { thread_id: string }[] };
  return page.gates;
}

/** The chunks of a stream, each checked against its schema. The frames have only `data:`. */
async function chunksOf(answer: Response) {
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const frames = (await answer.text()).split('\n\n');
  expect(frames.pop()).toBe('');
  const data = frames.map((frame) => /^data: ([^\n]*)$/.exec(frame)?.[1] ?? '');
  const isDone = data.at(-1) === '[DONE]';
  const chunks = (isDone ? data.slice(0, -1) : data).map((json) => streamedChunk.parse(JSON.parse(json)));
  return { isDone, chunks };
}

const textOf = (chunks: Awaited<ReturnType<typeof chunksOf>>['chunks']) =>
  chunks.flatMap((chunk) => ('choices' in chunk ? chunk.choices.map(({ delta }) => delta.content ?? '') : [])).join('');

test('a message is answered', async ({ service }) => {
  const answer = await ask(service, [user('say hello there')]);

  expect(answer).toMatchObject({
    object: 'chat.completion',
    model: 'm',
    message: { role: 'assistant', content: 'hello there', refusal: null },
    finish: 'stop',
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
  expect(answer.message).not.toHaveProperty('tool_calls');
});

test('the model gets the system message and the history that the client sends', async ({ service, model }) => {
  await ask(service, [
    { role: 'system', content: 'Be brief.' },
    user('My name is Ann.'),
    { role: 'assistant', content: 'Hello Ann.', refusal: null },
    user('say yes'),
  ]);

  const seen = model.seen.at(-1)?.messages.map(({ text }) => text) ?? [];
  expect(seen[0]).toMatch(/Be brief\.$/);
  expect(seen.slice(1)).toEqual(['My name is Ann.', 'Hello Ann.', 'say yes']);
});

test('a stream has the role first, then the text, the reason, the usage and [DONE]', async ({ service }) => {
  const more = { stream: true, stream_options: { include_usage: true } };
  const { isDone, chunks } = await chunksOf(await post(service, [user('say one two three')], more));

  expect(chunks.map((chunk) => ('choices' in chunk ? (chunk.choices[0] ?? chunk.usage) : chunk))).toMatchObject([
    { delta: { role: 'assistant' }, finish_reason: null },
    { delta: { content: 'one ' }, finish_reason: null },
    { delta: { content: 'two ' }, finish_reason: null },
    { delta: { content: 'three' }, finish_reason: null },
    { delta: {}, finish_reason: 'stop' },
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  ]);
  expect(isDone).toBe(true);
  expect(new Set(chunks.map((chunk) => 'id' in chunk && chunk.id)).size).toBe(1);
});

test('without include_usage a stream has no usage', async ({ service }) => {
  const { chunks } = await chunksOf(await post(service, [user('say hi')], { stream: true }));

  expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
});

test('two parallel calls surface one after the other, and the history continues one thread', async ({
  service,
  model,
}) => {
  const messages: unknown[] = [
    { role: 'system', content: 'Be brief.' },
    user('say wait\nuse first {"a": 1}\nuse second {}'),
  ];
  const first = await ask(service, messages, { tools });
  expect(first).toMatchObject({ finish: 'tool_calls', message: { content: 'wait' } });
  expect(callOf(first)).toMatchObject({ type: 'function', function: { name: 'first', arguments: '{"a": 1}' } });
  const asked = model.seen.length;

  // A client writes the arguments again and drops fields that it does not know.
  const rewritten = { ...callOf(first), function: { name: 'first', arguments: '{"a":1}' } };
  messages.push({ role: 'assistant', content: 'wait', tool_calls: [rewritten] }, output(first, 'one'));
  const second = await ask(service, messages, { tools });
  expect(second).toMatchObject({ finish: 'tool_calls', message: { content: null } });
  expect(callOf(second)).toMatchObject({ function: { name: 'second' } });
  expect(model.seen).toHaveLength(asked);

  messages.push(
    { role: 'assistant', content: '', tool_calls: [callOf(second)] },
    output(second, [{ type: 'text', text: 'two' }]),
  );
  const last = await ask(service, messages, { tools });

  expect(last).toMatchObject({ finish: 'stop', message: { content: 'result: two' } });
  expect(new Set([first, second, last].map(threadOf)).size).toBe(1);
  expect(await openGates(service)).toEqual([]);
});

test('a streamed call comes whole in one chunk, and its output continues the thread', async ({ service }) => {
  const messages: unknown[] = [user('say wait\nuse first {"a":1}')];
  const { isDone, chunks } = await chunksOf(await post(service, messages, { tools, stream: true }));
  const deltas = chunks.flatMap((chunk) => ('choices' in chunk ? chunk.choices : []));
  const call = deltas.flatMap(({ delta }) => delta.tool_calls ?? []);

  expect(call).toMatchObject([{ index: 0, type: 'function', function: { name: 'first', arguments: '{"a":1}' } }]);
  expect(deltas.at(-1)).toMatchObject({ delta: {}, finish_reason: 'tool_calls' });
  expect(isDone).toBe(true);

  messages.push(
    { role: 'assistant', content: 'wait', tool_calls: call },
    { role: 'tool', tool_call_id: call[0]?.id, content: 'one' },
  );
  const last = await ask(service, messages, { tools });
  expect(last.message?.content).toBe('result: one');
  expect(threadOf(last)).toBe(threadOf({ id: chunks[0] && 'id' in chunks[0] ? chunks[0].id : '' }));
});

test('messages around a tool of the agent are one text, and a replay of it continues the thread', async ({
  service,
}) => {
  const messages: unknown[] = [user('talk')];
  const asked = await ask(service, messages, { tools });
  expect(asked.message?.content).toBe('Let me see.\n\nAlmost there.');

  messages.push(asked.message, output(asked, 'one'));
  const { chunks } = await chunksOf(await post(service, messages, { tools, stream: true }));

  expect(textOf(chunks)).toBe('Done.');
  expect(threadOf({ id: chunks[0] && 'id' in chunks[0] ? chunks[0].id : '' })).toBe(threadOf(asked));
  const again = await chunksOf(await post(service, [user('talk')], { tools, stream: true }));
  expect(textOf(again.chunks)).toBe('Let me see.\n\nAlmost there.');
});

test('an edited history starts a new thread, and the old one waits no longer', async ({ service }) => {
  const asked = await ask(service, [user('use first {}')], { tools });
  const edited = await ask(service, [user('use first {} please'), asked.message, output(asked, 'one')], { tools });

  expect(edited.message?.content).toBe('result: one');
  expect(threadOf(edited)).not.toBe(threadOf(asked));
  expect((await openGates(service)).map(({ thread_id: id }) => id.replaceAll('-', ''))).not.toContain(threadOf(asked));
});

test('a request offers only its tools, also when it continues a thread', async ({ service, model }) => {
  const asked = await ask(service, [user('use first {}')], { tools });
  await ask(service, [user('use first {}'), asked.message, output(asked, 'one')]);

  expect(model.seen.at(-1)?.tools).not.toContain('first');
});

test('an answer that reaches the limit of the model has the reason length', async ({ service }) => {
  expect(await ask(service, [user('overflow')])).toMatchObject({ message: { content: 'too long' }, finish: 'length' });
});

test.for([
  ['break 400', 400, 'model_error'],
  ['hang', 400, 'turn_timeout'],
] as const)('a turn that fails (%s) is answered with %i and %s', async ([said, status, code], { service }) => {
  const answer = await post(service, [user(said)]);

  expect(answer.status).toBe(status);
  expect(failedTurn.parse(await answer.json())).toMatchObject({
    error: { code, type: 'invalid_request_error', param: null },
  });
  expect(answer.headers.get('x-request-id')).toBeTruthy();
});

test('a stream that fails ends with the error and without [DONE]', async ({ service }) => {
  const { isDone, chunks } = await chunksOf(await post(service, [user('cut')], { stream: true }));

  expect(textOf(chunks)).toBe('half a ');
  expect(chunks.at(-1)).toMatchObject({ error: { code: 'model_error' } });
  expect(isDone).toBe(false);
});

test('stop ends the answer before it, in a stream too, also when the model continues', async ({ service, model }) => {
  const asked = [user('say hello world and wor more')];
  const whole = await ask(service, asked, { stop: ['again', ' world'] });
  expect(whole).toMatchObject({ finish: 'stop', message: { content: 'hello' } });
  expect(model.seen.at(-1)?.limits.stop).toEqual(['again', ' world']);

  const { isDone, chunks } = await chunksOf(await post(service, asked, { stop: 'more', stream: true }));
  expect([textOf(chunks), isDone]).toEqual(['hello world and wor ', true]);
  expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  const unstopped = await ask(service, asked, { stop: 'word' });
  expect(unstopped).toMatchObject({ finish: 'stop', message: { content: 'hello world and wor more' } });
});

test('a stop sequence keeps a call after it from being made', async ({ service }) => {
  const stopped = await ask(service, [user('say look here\nuse first {}')], { tools, stop: ['here'] });

  expect(stopped).toMatchObject({ finish: 'stop', message: { content: 'look ' } });
  expect(stopped.message).not.toHaveProperty('tool_calls');
});

test('max_tokens and seed reach the model, and an answer that is cut has the reason length', async ({
  service,
  model,
}) => {
  for (const field of ['max_tokens', 'max_completion_tokens']) {
    const cut = await ask(service, [user('say one two three')], { [field]: 2, seed: 7 });

    expect(cut).toMatchObject({ finish: 'length', message: { content: 'one two ' } });
    expect(model.seen.at(-1)?.limits).toMatchObject({ max_tokens: 2, seed: 7 });
  }
});

test('tool_choice offers all, one or none of the tools of the caller', async ({ service, model }) => {
  const offered = async (tool_choice: unknown, script: string) => {
    const answer = await ask(service, [user(script)], { tools, tool_choice });
    const { tools: names = [], toolChoice } = model.seen.at(-1) ?? {};
    return {
      finish: answer.finish,
      toolChoice,
      names: names.filter((name) => !/^(reborn|memory|skill|mission)_/.test(name)),
      all: names.length,
    };
  };

  const auto = await offered('auto', 'say hi');
  expect(auto).toMatchObject({ finish: 'stop', toolChoice: 'auto', names: ['first', 'second'] });
  expect(await offered('none', 'say hi')).toMatchObject({ names: [], all: auto.all - 2 });
  expect(await offered('required', 'use second {}')).toEqual({
    finish: 'tool_calls',
    toolChoice: 'required',
    names: ['first', 'second'],
    all: 2,
  });
  const named = { type: 'function', function: { name: 'second' } };
  expect(await offered(named, 'use second {}')).toEqual({
    finish: 'tool_calls',
    toolChoice: 'required',
    names: ['second'],
    all: 1,
  });
});

test('a model that does not make the call that tool_choice asks for is asked once more, and then the turn fails', async ({
  service,
  model,
}) => {
  const before = model.seen.length;
  const failed = await post(service, [user('say I would rather talk')], {
    tools,
    tool_choice: 'required',
    stream: true,
  });
  const { chunks } = await chunksOf(failed);

  expect(model.seen).toHaveLength(before + 2);
  expect(textOf(chunks)).toBe('');
  expect(chunks.at(-1)).toMatchObject({
    error: { code: 'invalid_output', message: expect.stringContaining('none of the tools') },
  });
});

test('a call that tool_choice asks for has the text before it, and its output gets an answer', async ({ service }) => {
  const messages: unknown[] = [user('say wait\nuse first {}')];
  const more = { tools, tool_choice: 'required' };
  const { chunks } = await chunksOf(await post(service, messages, { ...more, stream: true }));
  expect(textOf(chunks)).toBe('wait');
  const first = await ask(service, messages, more);
  messages.push({ role: 'assistant', content: 'wait', tool_calls: [callOf(first)] }, output(first, 'done'));

  expect(await ask(service, messages, { tools })).toMatchObject({ message: { content: 'result: done' } });
});

test('a cancelled turn is an error', async ({ service }) => {
  const answer = await post(service, [user('count 1000 every 20')], { stream: true });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = '' } = (await reader?.read()) ?? {};
  const id = /chatcmpl-([0-9a-f]{64})/.exec(value)?.[1] ?? '';
  await service.request(`/api/v1/responses/resp_${id}/cancel`, { method: 'POST', body: '{}' });

  let rest = '';
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) rest += read.value;
  expect(rest).toMatch(
    /data: \{"error":\{"message":"[^"]+","type":"invalid_request_error","code":"cancelled","param":null\}\}\n\n$/,
  );
});

test('a repeated request with the same key gets the first answer', async ({ service, model }) => {
  const key = { 'idempotency-key': 'chat-1' };
  const kept = { store: true };
  const first = chatCompletion.parse(await (await post(service, [user('say once')], kept, key)).json());
  const asked = model.seen.length;

  const second = chatCompletion.parse(await (await post(service, [user('say once')], kept, key)).json());
  const { chunks } = await chunksOf(
    await post(service, [user('say x')], { stream: true, store: true }, { 'idempotency-key': 'chat-2' }),
  );
  const streamed = await chunksOf(
    await post(service, [user('say x')], { stream: true, store: true }, { 'idempotency-key': 'chat-2' }),
  );
  const other = await post(service, [user('say twice')], {}, key);

  expect(second).toEqual(first);
  expect(streamed.chunks).toEqual(chunks);
  expect(model.seen).toHaveLength(asked + 1);
  expect(other.status).toBe(409);
});

test.for([
  [{ n: 2 }, 'n'],
  [{ messages: [] }, 'messages'],
  [{ messages: [user('a'), { role: 'assistant', content: 'b' }] }, 'messages[1].role'],
  [{ tools: [{ type: 'function', function: { name: 'memory_write' } }] }, 'tools[0].function.name'],
] as const)('an invalid request is refused with the field: %j', async ([more, param], { service }) => {
  const answer = await post(service, [user('say no')], more);

  expect(answer.status).toBe(400);
  expect(errorEnvelope.parse(await answer.json()).error).toMatchObject({ type: 'invalid_request_error', param });
});

test('the route needs a token, and is also served without /api', async ({ service }) => {
  const body = JSON.stringify({ model: 'm', messages: [user('say same')] });
  const stranger = await service.request('/v1/chat/completions', {
    method: 'POST',
    body,
    headers: { authorization: 'Bearer wrong' },
  });
  const alias = await service.request('/v1/chat/completions', { method: 'POST', body });

  expect(stranger.status).toBe(401);
  expect(chatCompletion.parse(await alias.json()).choices[0]?.message.content).toBe('same');
});

const uuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The number of rows that are left of a conversation. */
async function rowsOf(home: Home, completion: { id: string }): Promise<number> {
  const [row] = await home.query<{ rows: number }>(
    `select ((select count(*) from threads where id = $1) + (select count(*) from turns where thread_id = $1)
       + (select count(*) from items where thread_id = $1) + (select count(*) from gates where thread_id = $1))::integer as rows`,
    [uuid(threadOf(completion))],
  );
  return row?.rows ?? -1;
}

test('a conversation is deleted once its answer is delivered, unless the request says store', async ({
  service,
  home,
}) => {
  const answered = await ask(service, [user('say hello')]);
  const { chunks } = await chunksOf(await post(service, [user('say hello')], { stream: true }));
  const failed = await chunksOf(await post(service, [user('break 400')], { stream: true }));
  const kept = await ask(service, [user('say hello')], { store: true });

  expect(await rowsOf(home, answered)).toBe(0);
  for (const [chunk] of [chunks, failed.chunks])
    expect(await rowsOf(home, { id: chunk && 'id' in chunk ? chunk.id : '' })).toBe(0);
  expect(await rowsOf(home, kept)).toBeGreaterThan(0);
});

test('a conversation that waits for a tool stays until it is continued, and then goes as a whole', async ({
  service,
  home,
}) => {
  const messages: unknown[] = [user('use first {}\nuse second {}\nuse first {}\nuse second {}')];
  let asked = await ask(service, messages, { tools });
  for (let step = 0; step < 4; step++) {
    expect(await rowsOf(home, asked)).toBeGreaterThan(0);
    messages.push(asked.message, output(asked, `result ${step}`));
    asked = await ask(service, messages, { tools });
  }

  expect(asked.message?.content).toBe('result: result 3');
  expect(await rowsOf(home, asked)).toBe(0);
});

test('a conversation that waits is deleted after a day, and so is one whose history was edited', async ({
  service,
  home,
}) => {
  const waiting = await ask(service, [user('use first {}')], { tools });
  const edited = await ask(service, [user('use second {}')], { tools });
  await ask(service, [user('use second {} please'), edited.message, output(edited, 'one')], { tools });
  const age = (hours: number) =>
    home.query(`update turns set ended_at = now() - make_interval(hours => $1) where thread_id = any($2)`, [
      hours,
      [waiting, edited].map((completion) => uuid(threadOf(completion))),
    ]);

  await expect.poll(async () => (await home.query('select from turns where ended_at is null')).length).toBe(0);
  await age(2);
  await fullRound(service, 'undelivered_responses');
  expect(await rowsOf(home, waiting)).toBeGreaterThan(0);
  await age(25);
  await expect.poll(async () => (await rowsOf(home, waiting)) + (await rowsOf(home, edited))).toBe(0);
});

test('an answer with a format is JSON, and a schema that can not be used is refused with its field', async ({
  service,
}) => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'number' } },
    required: ['a'],
    additionalProperties: false,
  };
  const withSchema = (json_schema: unknown) => ({ response_format: { type: 'json_schema', json_schema } });
  const answered = await ask(service, [user('say {"a":1}')], withSchema({ name: 'answer', schema, strict: true }));
  const object = await ask(service, [user('say {"b":1}')], { response_format: { type: 'json_object' } });
  const misfit = await post(service, [user('say {"b":1}')], withSchema({ name: 'answer', schema }));

  expect(answered.message?.content).toBe('{"a":1}');
  expect(object.message?.content).toBe('{"b":1}');
  expect(misfit.status).toBe(400);
  expect(failedTurn.parse(await misfit.json()).error.code).toBe('invalid_output');
  for (const [format, param] of [
    [withSchema({ name: 'answer', schema: { type: 'nonsense' } }), 'response_format.json_schema.schema'],
    [withSchema({ name: 'an answer', schema }), 'response_format.json_schema.name'],
    [withSchema(undefined), 'response_format.json_schema'],
    [{ response_format: { type: 'grammar' } }, 'response_format.type'],
  ] as const)
    expect(await (await post(service, [user('say no')], format)).json()).toMatchObject({ error: { param } });
});

test('an app that lists the models and streams a conversation with its system prompt works, as Open WebUI does', async ({
  service,
}) => {
  const models = (await (await service.request('/v1/models')).json()) as { data: { id: string }[] };
  const body = {
    model: models.data[0]?.id,
    messages: [
      { role: 'system', content: 'You are kind.' },
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Hello! How can I help?' },
      { role: 'user', content: 'say one two' },
    ],
    stream: true,
  };
  const answer = await service.request('/v1/chat/completions', { method: 'POST', body: JSON.stringify(body) });
  const { isDone, chunks } = await chunksOf(answer);

  expect(textOf(chunks)).toBe('one two');
  expect(isDone).toBe(true);
});
