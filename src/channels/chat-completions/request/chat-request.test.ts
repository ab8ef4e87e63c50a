import { expect, test } from 'vitest';
import { parseChatRequest } from './chat-request.ts';

const OPTIONS = { isTaken: (name: string) => name === 'reborn_time', externalTools: true };
const BODY = { model: 'any', messages: [{ role: 'user', content: 'Hello' }] };
const parse = (more: object, options = OPTIONS) => parseChatRequest({ ...BODY, ...more }, options);

test('fields that the service does not support are ignored', () => {
  const ignored = {
    tool_choice: 'required',
    max_tokens: 1,
    max_completion_tokens: 1,
    parallel_tool_calls: false,
    logit_bias: { 50256: -100 },
    stop: ['x'],
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
  ['a model that is no text', { model: 1 }, { code: 'invalid_request', param: 'model' }],
  ['a stream that is no flag', { stream: 'yes' }, { code: 'invalid_request', param: 'stream' }],
  ['a temperature above 2', { temperature: 2.1 }, { code: 'invalid_request', param: 'temperature' }],
  ['tools that are no list', { tools: {} }, { code: 'invalid_tool', param: 'tools' }],
  ['a tool that is no object', { tools: [1] }, { code: 'invalid_tool', param: 'tools[0]' }],
  ['a tool of another type', { tools: [{ type: 'custom' }] }, { code: 'invalid_tool', param: 'tools[0].type' }],
  [
    'a tool without a function',
    { tools: [{ type: 'function', name: 'lookup' }] },
    { code: 'invalid_tool', param: 'tools[0].function' },
  ],
  ['a tool without a name', tool({}), { code: 'invalid_tool', param: 'tools[0].function.name' }],
  ['a name of the agent', tool({ name: 'reborn_time' }), { code: 'invalid_tool', param: 'tools[0].function.name' }],
  [
    'parameters that are no object',
    tool({ name: 'a', parameters: [] }),
    { code: 'invalid_tool', param: 'tools[0].function.parameters' },
  ],
  ['too many tools', tool({ name: 'a', description: 'x'.repeat(262_144) }), { code: 'invalid_tool', param: 'tools' }],
];

test.for(REFUSED)('%s is refused with the field', ([, more, refusal]) => {
  expect(() => parse(more)).toThrow(expect.objectContaining(refusal));
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
