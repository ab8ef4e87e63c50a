import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidRequest } from '#domain/errors.ts';
import { type NewItem, textOf } from '#domain/thread/item.ts';
import { fieldMeanings, parseCreate } from './create-request.ts';

const OPTIONS = {
  isTaken: () => false,
  externalTools: true,
  toolLimits: { maxBytes: 16_384, unknownTools: 'refuse' as const, hosted: [] },
  known: new Map<string, NewItem>(),
  files: new Map(),
  openSummary: () => undefined,
};
const parse = (fields: object) => parseCreate({ model: 'm', input: 'hi', ...fields }, OPTIONS);
const refused = (param: string | null, code = 'invalid_request') =>
  expect.objectContaining({ name: 'InvalidRequest', code, param });
const responseId = `resp_${'0'.repeat(64)}`;
const conversation = `conv_${'0'.repeat(32)}`;
const zero = '00000000-0000-0000-0000-000000000000';

test('a request with nothing but model and input has the defaults', () => {
  expect(parse({})).toEqual({
    model: 'm',
    previous: undefined,
    previousResponseId: null,
    stream: false,
    background: false,
    whenBusy: 'queue',
    store: true,
    toolActivity: false,
    temperature: null,
    instructions: null,
    metadata: {},
    tools: undefined,
    items: [expect.objectContaining({ role: 'user', content: [{ type: 'text', text: 'hi' }] })],
  });
});

test('every field of the request is taken', () => {
  const fields = { stream: true, background: true, temperature: 0.5, instructions: 'Be brief.', metadata: { a: '1' } };
  const tools = [{ type: 'function', name: 'look' }];

  expect(parse({ ...fields, tools, previous_response_id: responseId })).toMatchObject({
    ...fields,
    previousResponseId: responseId,
    previous: { turnId: zero, threadId: zero },
    tools: [{ name: 'look', description: null, parameters: null, strict: null }],
  });
});

test.each([null, undefined, [], 'text', 1, true])('a body that is %j is refused', (body) => {
  expect(() => parseCreate(body, OPTIONS)).toThrow(refused(null));
});

test.each(['m', 'gpt-4o', 'a b', '模型', 'a'.repeat(256), 'é'.repeat(128), '😀'.repeat(64)])(
  'the model name %j is fine',
  (model) => {
    expect(parse({ model }).model).toBe(model);
  },
);

test.each<[why: string, model: unknown]>([
  ['missing', undefined],
  ['null', null],
  ['not a string', 5],
  ['empty', ''],
  ['only whitespace', ' '],
  ['preceded by whitespace', ' m'],
  ['followed by whitespace', 'm\t'],
  ['followed by a no-break space', 'm\u00a0'],
  ['holding a newline', 'a\nb'],
  ['holding a null character', 'a\u0000b'],
  ['holding a delete character', 'a\u007fb'],
  ['holding a C1 control character', 'a\u0085b'],
  ['of 257 bytes', 'a'.repeat(257)],
  ['of 129 characters and 258 bytes', 'é'.repeat(129)],
])('a model that is %s is refused', (_why, model) => {
  expect(() => parse({ model })).toThrow(refused('model'));
});

test.each([0, -0, 0.7, 1, 2])('temperature %d is taken', (temperature) => {
  expect(parse({ temperature }).temperature).toBe(temperature);
});

test.each([-0.001, 2.001, Infinity, '1', true, [1], {}])('temperature %j is refused', (temperature) => {
  expect(() => parse({ temperature })).toThrow(refused('temperature'));
});

test.each<[field: string, value: unknown, code?: string]>([
  ['stream', 'true'],
  ['stream', 1],
  ['instructions', 5],
  ['instructions', ['a']],
  ['x_context', []],
  ['x_context', 'text'],
  ['x_context', 5],
  ['input', undefined],
  ['input', null],
  ['input', ''],
  ['input', ' \n\t'],
  ['input', []],
  ['input', 5],
  ['input', {}],
  ['previous_response_id', 5, 'previous_response_not_found'],
  ['previous_response_id', '', 'previous_response_not_found'],
  ['previous_response_id', 'resp_1', 'previous_response_not_found'],
  ['conversation', 5],
  ['conversation', 'conv_1'],
  ['conversation', {}],
  ['conversation', { id: 5 }],
  ['tools', {}, 'invalid_tool'],
  ['tools', 'look', 'invalid_tool'],
])('%s: %j is refused, and the field is named', (field, value, code) => {
  expect(() => parse({ [field]: value })).toThrow(refused(field, code));
});

test.each([
  'previous_response_id',
  'stream',
  'temperature',
  'instructions',
  'x_context',
  'tools',
  'tool_choice',
  'metadata',
  'background',
  'max_output_tokens',
])('%s: null means absent', (field) => {
  expect({ ...parse({ [field]: null }), items: [] }).toEqual({ ...parse({}), items: [] });
});

test('x_context may have 10,240 bytes of compact JSON, and not one more', () => {
  const context = (bytes: number) => ({ é: 'x'.repeat(bytes - Buffer.byteLength('{"é":""}')) });

  expect(parse({ x_context: context(10_240) }).items).toHaveLength(1);
  expect(() => parse({ x_context: context(10_241) })).toThrow(refused('x_context'));
});

test('x_context is measured in bytes, not in characters', () => {
  expect(() => parse({ x_context: { key: 'é'.repeat(5_200) } })).toThrow(refused('x_context'));
});

test.each<[field: string, value: unknown]>([
  ['tool_choice', { type: 'function', name: 5 }],
  ['max_output_tokens', 'many'],
  ['top_p', {}],
  ['metadata', 'text'],
  ['metadata', ['a']],
  ['background', 'yes'],
  ['no_such_field', [[[]]]],
])('%s: %j is ignored', (field, value) => {
  expect({ ...parse({ [field]: value }), items: [] }).toEqual({ ...parse({}), items: [] });
});

test('a field named __proto__ is harmless', () => {
  const body =
    '{"model":"m","input":"hi","__proto__":{"stream":true,"temperature":9},"x_context":{"__proto__":{"a":1}}}';
  const create = parseCreate(JSON.parse(body), OPTIONS);

  expect(create).toMatchObject({ stream: false, temperature: null });
  expect(create.items[0]).toMatchObject({
    content: [{ text: expect.stringContaining('[Context: __proto__ - a: 1]') }],
  });
});

test('instructions and x_context frame the message, and are echoed as they came', () => {
  const create = parse({ instructions: 'Be brief.', x_context: { a: { b: 1 } } });

  expect(create.instructions).toBe('Be brief.');
  expect(create.items.map((item) => (item.type === 'message' ? textOf(item.content) : ''))).toEqual([
    '<instructions>\nBe brief.\n</instructions>\n\n<user-context>\n[Context: a - b: 1]\n</user-context>\n\nhi',
  ]);
});

test('instructions on a resume are echoed, and stored after the tool result', () => {
  const input = [{ type: 'function_call_output', call_id: 'c', output: 'x' }];
  const create = parse({ input, instructions: 'Be brief.', previous_response_id: responseId });

  expect(create.instructions).toBe('Be brief.');
  expect(create.items).toEqual([
    { id: expect.any(String), type: 'function_call_output', callId: 'c', output: [{ type: 'text', text: 'x' }] },
    expect.objectContaining({
      role: 'developer',
      content: [{ type: 'text', text: '<instructions>\nBe brief.\n</instructions>' }],
    }),
  ]);
});

test.each(['x_context', 'metadata', 'tools', 'input', 'tool_choice', 'stream'])(
  'a deeply nested %s is taken or refused, and never breaks anything',
  (field) => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = level % 2 ? { a: deep } : [deep];

    for (const value of [deep, { a: deep }, [deep], [{ type: 'function', name: 'a', parameters: { a: deep } }]])
      expect(refusalOf({ model: 'm', input: 'hi', [field]: value })).toSatisfy(isRefusal);
  },
);

test('every body is accepted, or refused with the wrong field', () => {
  const value = fc.oneof(fc.jsonValue(), fc.anything());
  const loose = (fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record(Object.fromEntries(Object.entries(fields).map(([key, usual]) => [key, fc.oneof(usual, usual, value)])), {
      requiredKeys: [],
    });
  const part = loose({ type: fc.constantFrom('input_text', 'input_image', 'input_file'), text: fc.string() });
  const item = loose({
    type: fc.constantFrom('message', 'function_call', 'function_call_output', 'reasoning'),
    role: fc.constantFrom('user', 'assistant', 'system', 'developer'),
    content: fc.oneof(fc.string(), fc.array(part)),
    call_id: fc.constantFrom('a', 'b', ''),
    name: fc.string(),
    arguments: fc.string(),
    output: fc.oneof(fc.string(), fc.array(part)),
  });
  const tool = loose({ type: fc.constant('function'), name: fc.constantFrom('a', 'b', 'memory_x'), parameters: value });
  const body = loose({
    model: fc.constant('m'),
    input: fc.oneof(fc.string(), fc.array(item)),
    previous_response_id: fc.constantFrom(responseId, null),
    conversation: fc.constantFrom(conversation, { id: conversation }, null),
    instructions: fc.string(),
    x_context: fc.dictionary(fc.string(), value),
    tools: fc.array(tool),
    temperature: fc.double(),
    stream: fc.boolean(),
    metadata: value,
  });

  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: body }, value), (anything) => {
      expect(refusalOf(anything)).toSatisfy(isRefusal);
    }),
    { numRuns: 1000 },
  );
});

function refusalOf(body: unknown): unknown {
  try {
    parseCreate(body, OPTIONS);
    return undefined;
  } catch (error) {
    return error;
  }
}

const FIELD =
  /^(model|input|previous_response_id|conversation|instructions|x_context|tools|temperature|stream)(\[\d+\]|\.\w+)*$/;

const isRefusal = (error: unknown) =>
  error === undefined || (error instanceof InvalidRequest && (error.param === null || FIELD.test(error.param)));

test('a conversation is named by its id or an object with it, and not together with a response', () => {
  expect(parse({ conversation })).toMatchObject({ conversation: zero });
  expect(parse({ conversation: { id: conversation } })).toMatchObject({ conversation: zero });
  expect(parse({ conversation: null })).toMatchObject({ conversation: undefined });
  expect(() => parse({ conversation, previous_response_id: responseId })).toThrow(refused('conversation'));
});

test('a tool result can answer a conversation', () => {
  const input = [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }];

  expect(parse({ conversation, input }).items).toHaveLength(1);
});

test('include is read for tool activity, and anything else in it is ignored', () => {
  expect(parse({ include: ['other', 'reborn.tool_activity'] }).toolActivity).toBe(true);
  for (const include of [undefined, null, [], ['other'], 'reborn.tool_activity', { 0: 'reborn.tool_activity' }, [5]])
    expect(parse({ include }).toolActivity).toBe(false);
});

test("the agent's tool calls that a client sends back are ignored", () => {
  const sent = [
    { role: 'user', content: 'hi' },
    { type: 'mcp_call', id: 'mcp_1', name: 'look', arguments: '{}', server_label: 'reborn' },
    ...['mcp', 'ci', 'sh', 'sho', 'ws'].map((kind) => ({ type: 'item_reference', id: `${kind}_${'0'.repeat(32)}` })),
  ];

  expect(parse({ input: sent }).items).toHaveLength(1);
});

/** Of the public schema of 2026-04-24. */
const PUBLIC_FIELDS = [
  'model',
  'input',
  'previous_response_id',
  'include',
  'tools',
  'tool_choice',
  'metadata',
  'text',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'parallel_tool_calls',
  'stream',
  'stream_options',
  'background',
  'max_output_tokens',
  'max_tool_calls',
  'reasoning',
  'safety_identifier',
  'prompt_cache_key',
  'truncation',
  'instructions',
  'store',
  'service_tier',
  'top_logprobs',
];

test('every field of the public schema is used, or ignored for a reason', () => {
  const known = fieldMeanings();

  expect(PUBLIC_FIELDS.filter((name) => !known.some((field) => field.name === name))).toEqual([]);
  expect(known.filter(({ meaning }) => meaning === '')).toEqual([]);
  expect(new Set(known.map(({ name }) => name)).size).toBe(known.length);
});

test.each(fieldMeanings().filter(({ isUsed }) => !isUsed))('$name changes nothing, with any value', ({ name }) => {
  for (const value of [true, 1, 'x', [], {}, null]) expect(parse({ [name]: value })).toMatchObject({ model: 'm' });
});

test('settings for the choice of words are taken, and refused out of range', () => {
  expect(
    parse({ top_p: 0.5, presence_penalty: 1, frequency_penalty: -1, reasoning: { effort: 'low' } }).sampling,
  ).toEqual({
    topP: 0.5,
    presencePenalty: 1,
    frequencyPenalty: -1,
    reasoning: 'low',
  });
  expect(parse({ top_p: 'x', reasoning: { effort: 'utmost' } }).sampling).toBeUndefined();
  expect(() => parse({ top_p: 2 })).toThrow(refused('top_p'));
});
