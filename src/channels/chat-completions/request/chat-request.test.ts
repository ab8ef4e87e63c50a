import { expect, test } from 'vitest';
import { parseChatRequest } from './chat-request.ts';

const OPTIONS = {
  isTaken: (name: string) => name === 'reborn_time',
  externalTools: true,
  files: new Map(),
  servesSearch: false,
};
const BODY = { model: 'any', messages: [{ role: 'user', content: 'Hello' }] };
const parse = (more: object, options = OPTIONS) => parseChatRequest({ ...BODY, ...more }, options);

test('fields that the service does not support are ignored', () => {
  const ignored = {
    parallel_tool_calls: false,
    logit_bias: { 50256: -100 },
    logprobs: true,
    user: 'ann',
    n: 1,
    stream_options: { include_usage: 'yes' },
    unknown: {},
  };

  expect(parse(ignored)).toEqual({ ...parse({}), items: [expect.objectContaining({ role: 'user' })] });
});

test('a tool is taken from its function', () => {
  const parameters = { type: 'object' };
  const { tools } = parse({ tools: [{ type: 'function', function: { name: 'lookup', parameters, strict: true } }] });

  expect(tools).toEqual([{ name: 'lookup', description: null, parameters, strict: true }]);
});

const tool = (fields: object) => ({ tools: [{ type: 'function', function: fields }] });

const REFUSED: [why: string, more: object, refusal: object][] = [
  ['two answers', { n: 2 }, { code: 'invalid_request', param: 'n' }],
  ['an unusual count', { n: '1' }, { code: 'invalid_request', param: 'n' }],
  ['a model that is not a text', { model: 1 }, { code: 'invalid_request', param: 'model' }],
  ['a stream that is not a flag', { stream: 'yes' }, { code: 'invalid_request', param: 'stream' }],
  ['a temperature above 2', { temperature: 2.1 }, { code: 'invalid_request', param: 'temperature' }],
  ['tools that are not a list', { tools: {} }, { code: 'invalid_tool', param: 'tools' }],
  ['a tool that is not an object', { tools: [1] }, { code: 'invalid_tool', param: 'tools[0]' }],
  ['a tool of another type', { tools: [{ type: 'custom' }] }, { code: 'invalid_tool', param: 'tools[0].type' }],
  [
    'a tool without a function',
    { tools: [{ type: 'function', name: 'lookup' }] },
    { code: 'invalid_tool', param: 'tools[0].function' },
  ],
  ['a tool without a name', tool({}), { code: 'invalid_tool', param: 'tools[0].function.name' }],
  ['a name of the agent', tool({ name: 'reborn_time' }), { code: 'invalid_tool', param: 'tools[0].function.name' }],
  [
    'parameters that are not an object',
    tool({ name: 'a', parameters: [] }),
    { code: 'invalid_tool', param: 'tools[0].function.parameters' },
  ],
  ['too many tools', tool({ name: 'a', description: 'x'.repeat(262_144) }), { code: 'invalid_tool', param: 'tools' }],
];

test.for(REFUSED)('%s is refused with the field', ([, more, refusal]) => {
  expect(() => parse(more)).toThrow(expect.objectContaining(refusal));
});

test.each<[field: string, values: unknown[]]>([
  ['stop', [5, '', [''], ['a', 5], ['a', 'b', 'c', 'd', 'e'], 'x'.repeat(1025), {}]],
  ['max_tokens', [0, -1, 1.5, '5', []]],
  ['max_completion_tokens', [0, 'many']],
  ['seed', [1.5, '5', 2 ** 60]],
  ['tool_choice', ['always', 5, {}, { type: 'function' }, { type: 'function', function: {} }]],
])('%s is refused with the field when its value can not be honoured', (field, values) => {
  const refusal = expect.objectContaining({ code: 'invalid_request', param: field });

  for (const value of values) expect(() => parse({ [field]: value })).toThrow(refusal);
  expect(parse({ [field]: null })).toMatchObject({ sampling: undefined, mustCall: false });
});

test('limits of the answer are taken, and max_completion_tokens wins', () => {
  const limits = { stop: 'x', max_tokens: 5, max_completion_tokens: 7, seed: -3 };

  expect(parse(limits).sampling).toEqual({ stopSequences: ['x'], maxOutputTokens: 7, seed: -3 });
  expect(parse({ max_tokens: 5, stop: ['a', 'b'] }).sampling).toEqual({
    stopSequences: ['a', 'b'],
    maxOutputTokens: 5,
  });
  expect(parse({ stop: [] }).sampling).toBeUndefined();
});

test('tool_choice decides which tools the model gets, and whether it must call one', () => {
  const given = { tools: ['first', 'second'].map((name) => ({ type: 'function', function: { name } })) };
  const chosen = (choice: unknown, more: object = given) => {
    const { tools, mustCall } = parse({ ...more, tool_choice: choice });
    return [mustCall, ...tools.map(({ name }) => name)];
  };

  expect(chosen('auto')).toEqual([false, 'first', 'second']);
  expect(chosen('none')).toEqual([false]);
  expect(chosen('required')).toEqual([true, 'first', 'second']);
  expect(chosen({ type: 'function', function: { name: 'second' } })).toEqual([true, 'second']);
  const refusal = expect.objectContaining({ code: 'invalid_request', param: 'tool_choice' });
  expect(() => chosen('required', {})).toThrow(refusal);
  expect(() => chosen({ type: 'function', function: { name: 'third' } })).toThrow(refusal);
});

test('two tools of one name are refused', () => {
  const twice = { type: 'function', function: { name: 'lookup' } };

  expect(() => parse({ tools: [twice, twice] })).toThrow(
    expect.objectContaining({ code: 'invalid_tool', param: 'tools[1].function.name' }),
  );
});

test('a service without external tools refuses them', () => {
  const refusal = expect.objectContaining({ code: 'invalid_request', param: 'tools' });

  expect(() => parse(tool({ name: 'lookup' }), { ...OPTIONS, externalTools: false })).toThrow(refusal);
});
