import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { createRequest } from '#channels/responses/request/create-request.ts';
import { anyBody } from '../../support/any-body.ts';
import { type CheckedAnswer, checkedAnswer } from '../../support/checked-answer.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';

const LONG_RUN = Boolean(process.env['ENDURANCE']);
const BODIES = LONG_RUN ? 100_000 : 2000;
const AT_ONCE = 40;
const PATIENCE_MS = 60_000;
const ANSWERS = [200, 400, 404, 409, 413, 429];

const test = journey().override('env', ({ home }) => ({
  ...home.env,
  CHAT_RATE_PER_MINUTE: '1000000',
  RESPONSES_TIMEOUT_SECS: '2', // a message may be queued behind a turn that then waits for its caller's tool
}));

async function send(
  service: Service,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  patience = PATIENCE_MS,
): Promise<CheckedAnswer> {
  const answer = await fetch(`${service.url}/api/v1/responses`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(patience),
    duplex: 'half',
  });
  return checkedAnswer(answer);
}

test(`any body is accepted or refused quickly (${BODIES} bodies)`, async ({ service }) => {
  // One request continues a thread at a time: a second one would wait behind a call of the first one's tool.
  const idle = new Map<string, string>();
  const takeIdle = () => {
    const [[thread, id] = ['', 'none yet']] = idle;
    idle.delete(thread);
    return id;
  };
  const statuses = new Map<number, number>();

  async function expectAnswer(template: string): Promise<void> {
    const body = template.includes('@id') ? template.replaceAll('@id', takeIdle()) : template;
    const { status, response } = await send(service, body).catch((cause: unknown) => {
      throw new Error(`No good answer to ${shorten(body)}`, { cause });
    });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (!ANSWERS.includes(status)) throw new Error(`${status} for ${shorten(body)}`);
    if (!response) return;
    idle.set(response.id.slice(-32), response.id);
    if (!isDocumented(body)) throw new Error(`The document does not allow ${shorten(body)}`);
  }

  await fc.assert(
    fc.asyncProperty(fc.array(anyBody(), { minLength: AT_ONCE, maxLength: AT_ONCE }), async (bodies) => {
      await Promise.all(bodies.map(expectAnswer));
    }),
    { numRuns: BODIES / AT_ONCE, endOnFailure: true }, // the error names the body; shrinking takes minutes
  );
  console.log('answers:', Object.fromEntries(statuses));
  expect(statuses.get(200)).toBeGreaterThan(BODIES / 10);
  expect(statuses.get(400)).toBeGreaterThan(BODIES / 10);
}, 3_600_000);

/** An accepted body must match the OpenAPI document. Other fields than these are ignored if their type is wrong. */
function isDocumented(body: string): boolean {
  const { model, input, previous_response_id, stream, instructions, x_context, temperature, tools } = JSON.parse(body);
  const checked = { model, input, previous_response_id, stream, instructions, x_context, temperature, tools };
  return createRequest.safeParse(checked).success;
}

const shorten = (body: string) => (body.length > 3000 ? `${body.slice(0, 3000)}… (${body.length})` : body);

test('invalid UTF-8 is accepted or refused like any other bytes', async ({ service }) => {
  const whole = Buffer.from('{"model":"m","input":"say x"}');
  for (const byte of [0x80, 0xc0, 0xed, 0xf8, 0xff]) {
    const body = Uint8Array.from(whole);
    body[whole.indexOf('x')] = byte;
    expect(ANSWERS).toContain((await send(service, body)).status);
  }
});

const ask = (service: Service, fields: object) =>
  send(service, JSON.stringify({ model: 'm', input: 'hello', ...fields }));

describe('a value at its limit is accepted, and one byte more is refused', () => {
  const filled = (bytes: number, empty: (filling: string) => unknown, unit = 'a') => {
    const left = bytes - Buffer.byteLength(JSON.stringify(empty('')));
    const size = Buffer.byteLength(unit);
    return empty(unit.repeat(Math.floor(left / size)) + 'a'.repeat(left % size));
  };
  const refused = { status: 400, error: { type: 'invalid_request_error' } };

  test.for(['a', 'é', '😀'])('model: 256 bytes of %s', async (unit, { service }) => {
    const model = (bytes: number) => filled(bytes + 2, (filling) => filling, unit);

    expect(await ask(service, { model: model(256) })).toMatchObject({ status: 200, response: { model: model(256) } });
    expect(await ask(service, { model: model(257) })).toMatchObject({ ...refused, error: { param: 'model' } });
  });

  test.for(['a', 'é', '😀'])('x_context: 10,240 bytes of %s', async (unit, { service }) => {
    const context = (bytes: number) => filled(bytes, (filling) => ({ notes: { text: filling } }), unit);

    expect(await ask(service, { x_context: context(10_240) })).toMatchObject({ status: 200 });
    expect(await ask(service, { x_context: context(10_241) })).toMatchObject({
      ...refused,
      error: { param: 'x_context' },
    });
  });

  test.for(['a', 'é', '😀'])('tools: 16,384 bytes of %s', async (unit, { service }) => {
    const tools = (bytes: number) =>
      filled(bytes, (filling) => [{ type: 'function', name: 'lookup', description: filling }], unit);

    expect(await ask(service, { tools: tools(16_384) })).toMatchObject({ status: 200, response: { tools: [{}] } });
    expect(await ask(service, { tools: tools(16_385) })).toMatchObject({ ...refused, error: { code: 'invalid_tool' } });
  });

  test('whitespace between tools does not count', async ({ service }) => {
    const tools = filled(16_384, (filling) => [{ type: 'function', name: 'lookup', description: filling }]);

    expect(await send(service, JSON.stringify({ tools, input: 'hello', model: 'm' }, null, 4))).toMatchObject({
      status: 200,
    });
  });

  test('a tool name: 64 characters', async ({ service }) => {
    const tools = (length: number) => [{ type: 'function', name: 'n'.repeat(length) }];

    expect(await ask(service, { tools: tools(64) })).toMatchObject({ status: 200 });
    expect(await ask(service, { tools: tools(65) })).toMatchObject({ ...refused, error: { param: 'tools[0].name' } });
  });

  const MAX_BODY = 14 * 1024 * 1024;
  const body = (bytes: number) =>
    JSON.stringify(filled(bytes, (filling) => ({ model: 'm', input: 'hello', unknown: filling })));
  const tooLarge = { status: 413, error: { type: 'invalid_request_error', code: 'body_too_large' } };

  test('a body: 14 MiB', async ({ service }) => {
    expect(await send(service, body(MAX_BODY))).toMatchObject({ status: 200 });
    expect(await send(service, body(MAX_BODY + 1))).toMatchObject(tooLarge);
  });

  test('a body without Content-Length: 14 MiB', async ({ service }) => {
    const stream = (bytes: number) => new Blob([body(bytes)]).stream();

    expect(await send(service, stream(MAX_BODY))).toMatchObject({ status: 200 });
    expect(await send(service, stream(MAX_BODY + 1))).toMatchObject(tooLarge);
  });

  test('a message that fills the body is answered, and stays in the thread', async ({ service }) => {
    const filling = JSON.stringify(filled(MAX_BODY, (input) => ({ model: 'm', input: `hello ${input}` })));
    const { response } = await send(service, filling, 60_000);
    expect(response).toMatchObject({ status: 'completed' });

    const next = await ask(service, { input: 'how many messages?', previous_response_id: response?.id });
    expect(next.response).toMatchObject({ output: [{ content: [{ text: expect.stringContaining('3 messages') }] }] });
  });
});
