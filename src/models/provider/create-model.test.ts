import { describe, expect, test, vi } from 'vitest';
import { text } from '#domain/thread/item.ts';
import { ModelFailure, type Prompt } from '../model.ts';
import type { ModelRoute } from '../model-route.ts';
import { createModel } from './create-model.ts';
import { serveWire, type WireAnswer, wires } from './recorded-wire.test-support.ts';

const HOST = 'server';

const names = {
  openai: 'gpt-4o',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  'openai-compatible': 'm',
};

describe.each(Object.values(wires))('$provider', (wire) => {
  const ask = (answer: WireAnswer | null, prompt = hello, signal = new AbortController().signal) =>
    askServer(wire.provider, answer, prompt, signal);

  test('an answer is passed on piece by piece, with its usage', async () => {
    const { answer, deltas } = await ask({ body: wire.says(['Good ', 'morning', '!']) });

    expect(deltas).toEqual(['Good ', 'morning', '!']);
    expect(answer).toMatchObject({ text: 'Good morning!', calls: [], finish: 'stop' });
    expect(answer.usage).toMatchObject({ inputTokens: 100, cachedInputTokens: 40, outputTokens: 20 });
    expect(answer.usage.reasoningTokens).toBe(wire.provider === 'anthropic' ? 0 : 5);
  });

  test('calls come in order, with unchanged arguments', async () => {
    const calls = [
      { callId: 'call_a', name: 'lookup', arguments: '{"city":"Oslo","days":2}' },
      { callId: 'call_b', name: 'lookup', arguments: '{"city":"Bergen"}' },
    ];
    const { answer } = await ask({ body: wire.calls(calls) }, { ...hello, tools: [lookup] });

    expect(answer).toMatchObject({ text: '', calls, finish: 'stop' });
  });

  test('a schema for the answer reaches the provider, also beside tools', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const format = { type: 'json_schema', name: 'place', description: null, schema, strict: null } as const;
    await using server = await serveWire({ body: wire.says(['{"city":"Oslo"}']) });
    const prompt = { ...hello, tools: [lookup], format };
    await createModel(routeTo(wire.provider, server.baseUrl)).ask(prompt, () => {}, new AbortController().signal);

    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/"properties":\{"city":\{"type":"string"\}\}/);
  });

  test('settings for the choice of words reach the provider', async () => {
    await using server = await serveWire({ body: wire.says(['Hi']) });
    const prompt = { ...hello, sampling: { topP: 0.25 } };
    await createModel(routeTo(wire.provider, server.baseUrl)).ask(prompt, () => {}, new AbortController().signal);

    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/"top_?p":0.25/i);
  });

  test('a call to a tool that was not offered is still a call', async () => {
    const calls = [{ callId: 'call_a', name: 'nobody_offered_this', arguments: '{"a":1}' }];

    expect((await ask({ body: wire.calls(calls) }, { ...hello, tools: [lookup] })).answer.calls).toEqual(calls);
    expect((await ask({ body: wire.calls(calls) })).answer.calls).toEqual(calls);
  });

  test.skipIf(wire.provider === 'google')('malformed arguments are passed on unchanged', async () => {
    const calls = [{ callId: 'call_a', name: 'lookup', arguments: '{"city": "Os' }];
    const { answer } = await ask({ body: wire.calls(calls) }, { ...hello, tools: [lookup] });

    expect(answer.calls).toEqual(calls);
  });

  test("an answer cut short by the model's limit is marked", async () => {
    expect((await ask({ body: wire.says(['Once upon'], 'length') })).answer.finish).toBe('length');
  });

  test("a refusal by the provider is a failure with the provider's message", async () => {
    const body = wire.errorBody('Your credit is used up.') as Record<string, unknown>;

    await expect(ask({ status: 402, body })).rejects.toMatchObject(
      failure('The model answered 402: Your credit is used up.'),
    );
  });

  test('a failure never contains the key', async () => {
    const body = wire.errorBody('Incorrect API key provided: their-key or sk-proj-****abcd') as Record<string, unknown>;

    const message = 'The model answered 401: Incorrect API key provided: [key] or [key]';
    await expect(ask({ status: 401, body })).rejects.toMatchObject(failure(message));
  });

  test.each(['x', 'ollama'])('a message keeps its words if the key is only %s', async (apiKey) => {
    const words = 'The next extra mocollama is exhausted';
    await using server = await serveWire({ status: 400, body: wire.errorBody(words) as Record<string, unknown> });
    const model = createModel({ ...routeTo(wire.provider, server.baseUrl), apiKey });

    await expect(model.ask(hello, () => {}, new AbortController().signal)).rejects.toMatchObject(
      failure(`The model answered 400: ${words}`),
    );
  });

  test('a long message is cut', async () => {
    const body = wire.errorBody('x'.repeat(9000)) as Record<string, unknown>;

    await expect(ask({ status: 500, body })).rejects.toSatisfy((error: Error) => error.message.length < 330);
  });

  test('an HTML page instead of an answer is a failure without the page', async () => {
    const body = ['<html>proxy error at 10.0.0.7</html>'];

    await expect(ask({ status: 502, body })).rejects.toMatchObject(failure('The model answered 502: Bad Gateway'));
    await expect(ask({ status: 200, body })).rejects.toSatisfy((error: Error) => !error.message.includes('10.0.0.7'));
  });

  test.each(['end', 'cut'] as const)('a stream that breaks off (%s) is a failure', async (ending) => {
    const body = wire.says(['Once ', 'upon']).slice(0, -wire.closingEvents);

    await expect(ask({ body, ending })).rejects.toSatisfy(
      (error) => error instanceof ModelFailure && error.code === 'model_error',
    );
  });

  test('an abort before the first byte rejects with its reason and closes the connection', async () => {
    await using server = await serveWire(null);
    const cancel = new AbortController();
    const asked = createModel(routeTo(wire.provider, server.baseUrl)).ask(hello, () => {}, cancel.signal);
    await expect.poll(() => server.requests).toHaveLength(1);

    const reason = new Error('cancelled');
    cancel.abort(reason);

    await expect(asked).rejects.toMatchObject({ name: 'ModelCallAborted', cause: reason });
    await server.closed;
  });

  test('an abort during the answer rejects with its reason, and nothing follows', async () => {
    const body = wire.says(['Once ', 'upon ', 'a ', 'time']).slice(0, -wire.closingEvents);
    await using server = await serveWire({ body, ending: 'silence' });
    const cancel = new AbortController();
    const deltas: string[] = [];
    const onText = (delta: string) => {
      deltas.push(delta);
      cancel.abort('enough');
    };

    await expect(
      createModel(routeTo(wire.provider, server.baseUrl)).ask(hello, onText, cancel.signal),
    ).rejects.toMatchObject({ name: 'ModelCallAborted', cause: 'enough' });
    expect(deltas).toEqual(['Once ']);
    await server.closed;
  });

  test('with an aborted signal no request is sent', async () => {
    await expect(ask(null, hello, AbortSignal.abort('too late'))).rejects.toMatchObject({
      cause: 'too late',
      usage: null,
    });
  });

  test('an error of the listener is passed on unchanged, and the call is dropped', async () => {
    const body = wire.says(['Once ', 'upon']).slice(0, -wire.closingEvents);
    await using server = await serveWire({ body, ending: 'silence' });
    const bug = new TypeError('a bug');
    const onText = () => {
      throw bug;
    };

    const asked = createModel(routeTo(wire.provider, server.baseUrl)).ask(hello, onText, new AbortController().signal);

    await expect(asked).rejects.toBe(bug);
    await server.closed;
  });

  test('nothing is printed on any failure', async () => {
    const prints = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn'), vi.spyOn(process, 'emitWarning')];

    await ask({ body: wire.says(['Once ']).slice(0, -wire.closingEvents), ending: 'cut' }).catch(() => {});
    await ask({ status: 500, body: {} }).catch(() => {});
    await ask({ body: wire.says(['Hi']) }, { ...hello, temperature: 99, tools: [{ ...lookup, strict: true }] });

    for (const print of prints) expect(print).not.toHaveBeenCalled();
  });
});

test('a known model has a cost, and an unknown model has none', async () => {
  const known = await askServer('anthropic', { body: wires.anthropic.says(['Hi']) });
  const unknown = await askServer('openai-compatible', { body: wires['openai-compatible'].says(['Hi']) });

  expect(known.answer.usage.cost?.inputUsd).toBeCloseTo((60 * 3 + 40 * 0.3) / 1e6, 12);
  expect(known.answer.usage.cost?.outputUsd).toBeCloseTo((20 * 15) / 1e6, 12);
  expect(unknown.answer.usage.cost).toBeNull();
});

test('the failure of an unreachable model has the cause, but not the address', async () => {
  const model = createModel(routeTo('openai', 'http://127.0.0.1:2'));

  await expect(model.ask(hello, () => {}, new AbortController().signal)).rejects.toMatchObject(
    failure('The model could not be reached: the connection was refused.'),
  );
});

test("a content filter is a failure, but a refusal in the model's own text is an answer", async () => {
  const filtered = wires['openai-compatible'].says(['I will']).join('').replace('"stop"', '"content_filter"');
  const declined = wires['openai-compatible'].says([]).join('').replace('"content":""', '"refusal":"No, sorry."');

  await expect(askServer('openai-compatible', { body: [filtered] })).rejects.toMatchObject({
    code: 'model_error',
    message: "The model's answer was stopped by its provider's content filter.",
    usage: { inputTokens: 100, outputTokens: 20 },
  });
  expect((await askServer('openai-compatible', { body: [declined] })).answer).toMatchObject({
    text: 'No, sorry.',
    finish: 'stop',
  });
});

test("an error in mid-stream is a failure with the provider's message", async () => {
  const [start = '', block = ''] = wires.anthropic.says(['Once']);
  const overloaded =
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  const said = wires.anthropic.says(['Once'])[3] ?? '';

  await expect(askServer('anthropic', { body: [start, block, said, overloaded] })).rejects.toMatchObject(
    failure('The model broke off: Overloaded'),
  );
});

test.each([
  ['openai', { type: 'error', sequence_number: 9, code: 'server_error', message: 'Overloaded', param: null }],
  ['google', { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }],
  ['openai-compatible', { error: { message: 'Overloaded', type: 'server_error', code: null, param: null } }],
] as const)('an error of %s in mid-stream is recognised', async (provider, event) => {
  const wire = wires[provider];
  const body = [...wire.says(['Once']).slice(0, -wire.closingEvents), `data: ${JSON.stringify(event)}\n\n`];

  await expect(askServer(provider, { body })).rejects.toMatchObject(failure('The model broke off: Overloaded'));
});

test('an answer without token counts has no cost, even when the price is known', async () => {
  const body = wires['openai-compatible'].says(['Hi']).filter((event) => !event.includes('"usage"'));
  await using server = await serveWire({ body });
  const price = { inputPerMillion: 1, outputPerMillion: 1 };
  const model = createModel({ ...routeTo('openai-compatible', server.baseUrl), price });

  const { usage } = await model.ask(hello, () => {}, new AbortController().signal);

  expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0, cost: null });
});

test.each([
  ['openai', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  ['openai', "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."],
  ['anthropic', 'prompt is too long: 215000 tokens > 200000 maximum'],
  ['anthropic', 'input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000'],
  ['google', 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).'],
  ['openai-compatible', 'the request exceeds the available context size, try increasing it'],
  ['openai-compatible', "This model's maximum context length is 4096 tokens, however you requested 5000 tokens."],
] as const)('a prompt that is too long for %s is recognised: %s', async (provider, message) => {
  const body = wires[provider].errorBody(message) as Record<string, unknown>;

  await expect(askServer(provider, { status: 400, body })).rejects.toMatchObject({ tooLong: true });
});

test.each([
  [400, 'The maximum length of a tool name is 64.'],
  [429, 'Too many tokens this minute, try again later.'],
  [500, 'The server ran out of context.'],
])('other refusals are not: %i %s', async (status, message) => {
  const body = wires.openai.errorBody(message) as Record<string, unknown>;

  await expect(askServer('openai', { status, body })).rejects.toMatchObject({ tooLong: false });
});

test.each([
  [429, 'ask-again'],
  [503, 'ask-again'],
  [401, 'ask-another'],
  [404, 'ask-another'],
  [400, 'none'],
  [422, 'none'],
] as const)('the remedy after status %i is %s', async (status, remedy) => {
  const body = wires.openai.errorBody('No.') as Record<string, unknown>;

  await expect(askServer('openai', { status, body })).rejects.toMatchObject({ remedy, usage: null });
});

test.each([
  [401, 'No.', { code: 'model.key_refused', values: { provider: HOST } }],
  [400, 'API key not valid.', { code: 'model.key_refused', values: { provider: HOST } }],
  [402, 'No.', { code: 'model.no_credit', values: { provider: HOST } }],
  [404, 'No.', { code: 'model.not_found', values: { provider: HOST, model: 'gpt-4o' } }],
  [429, 'No.', { code: 'model.busy', values: { provider: HOST } }],
  [503, 'No.', { code: 'model.busy', values: { provider: HOST } }],
  [500, 'No.', { code: 'model.broken', values: { provider: HOST, status: 500 } }],
  [400, 'prompt is too long: 9', { code: 'model.too_long', values: { model: 'gpt-4o' } }],
  [400, 'their-key is odd.', { code: 'model.refused', values: { provider: HOST, said: '[key] is odd.' } }],
] as const)('after status %i with "%s", clients get a code and its values', async (status, message, details) => {
  const body = wires.openai.errorBody(message) as Record<string, unknown>;
  const failed = await askServer('openai', { status, body }).catch((error: unknown) => error);

  expect(withoutPort((failed as ModelFailure).details)).toEqual(details);
});

test('the details of a failure name the host of a server, and a known provider by its name', async () => {
  const unreachable = createModel(routeTo('openai-compatible', 'http://127.0.0.1:2/v1'));
  const signal = AbortSignal.timeout(10_000);
  await expect(unreachable.ask(hello, () => {}, signal)).rejects.toMatchObject({
    details: { code: 'model.unreachable', values: { host: '127.0.0.1:2' } },
  });

  vi.stubGlobal('fetch', async () => Response.json({ error: { message: 'No.' } }, { status: 401 }));
  const hosted = createModel({ provider: 'openai', name: 'gpt-4o', apiKey: 'their-key' });
  await expect(hosted.ask(hello, () => {}, signal)).rejects.toMatchObject({
    details: { code: 'model.key_refused', values: { provider: 'OpenAI' } },
  });
  vi.unstubAllGlobals();
});

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' }, Date.UTC(2100, 0, 1) - Date.now()],
  [{ 'retry-after': '2', 'retry-after-ms': '150' }, 150],
  [{ 'retry-after': 'soon' }, 0],
  [{}, 0],
])('the wait that a provider asks for is read from its headers: %j', async (headers, expected) => {
  const body = wires.openai.errorBody('Slow down.') as Record<string, unknown>;
  const failed = await askServer('openai', { status: 429, body, headers }).catch((error: unknown) => error);

  expect(failed).toBeInstanceOf(ModelFailure);
  const { retryAfterMs } = failed as ModelFailure;
  // A date is compared with the clock, which keeps running.
  expect(Math.abs(retryAfterMs - expected)).toBeLessThanOrEqual(expected > 1e6 ? 60_000 : 0);
});

test.each<[ModelRoute, string]>([
  [{ provider: 'openai', name: 'gpt-4o' }, 'OPENAI_API_KEY'],
  [{ provider: 'anthropic', name: '', apiKey: 'k' }, 'LLM_MODEL'],
  [{ provider: 'openai-compatible', name: 'm' }, 'LLM_BASE_URL'],
  [{ provider: 'google', name: 'm', apiKey: 'k', baseUrl: 'not an address' }, 'LLM_BASE_URL'],
])('an incomplete route fails only when used, and the error says what to set: %j', async (route, setting) => {
  vi.stubEnv('OPENAI_API_KEY', 'from the environment');

  await expect(createModel(route).ask(hello, () => {}, new AbortController().signal)).rejects.toMatchObject({
    code: 'model_not_configured',
    message: expect.stringContaining(setting),
  });
});

/** The scripted server listens on any port. */
function withoutPort(details: unknown): unknown {
  return JSON.parse(JSON.stringify(details).replaceAll(/127\.0\.0\.1:\d+/g, HOST));
}

const lookup = { name: 'lookup', description: 'Looks up the weather.', parameters: null, strict: null };

const hello: Prompt = {
  system: 'Be kind.',
  messages: [{ role: 'user', content: [text('Hello')] }],
  tools: [],
  temperature: null,
};

function failure(message: string) {
  return { name: 'ModelFailure', code: 'model_error', message };
}

function routeTo(provider: keyof typeof names, baseUrl: string): ModelRoute {
  return { provider, name: names[provider], baseUrl, apiKey: 'their-key' };
}

async function askServer(
  provider: keyof typeof names,
  scripted: WireAnswer | null,
  prompt = hello,
  signal = new AbortController().signal,
) {
  await using server = await serveWire(scripted);
  const deltas: string[] = [];
  const answer = await createModel(routeTo(provider, server.baseUrl)).ask(
    prompt,
    (delta) => deltas.push(delta),
    signal,
  );
  return { answer, deltas };
}
