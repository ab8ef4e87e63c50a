import { expect, test } from 'vitest';
import { z } from 'zod';
import { outputsOfSteps, parseItemId } from '../response/output-items.ts';
import { FOREIGN_TYPES } from './foreign-items.ts';
import { linksOf, parseHistory, parseInput } from './input-items.ts';

const NEW_THREAD = false;
const CONTINUES = true;

const refused = (param: string) => expect.objectContaining({ name: 'InvalidRequest', code: 'invalid_request', param });
const output = (call_id: unknown = 'c', value: unknown = 'done') => ({
  type: 'function_call_output',
  call_id,
  output: value,
});
const call = (call_id = 'c') => ({ type: 'function_call', call_id, name: 'look', arguments: '{"a": 1}' });
const message = (role: unknown = 'user', content: unknown = 'hi') => ({ role, content });

test('a string is a user message, and keeps its newlines and spaces', () => {
  expect(parseInput(' one\n\ntwo ', NEW_THREAD)).toEqual([
    {
      id: expect.any(String),
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'text', text: ' one\n\ntwo ' }],
    },
  ]);
});

test.each(['user', 'assistant', 'system', 'developer'])('%s is a role', (role) => {
  expect(parseInput([message(role)], NEW_THREAD)).toMatchObject([{ type: 'message', role }]);
  expect(parseInput([{ type: 'message', ...message(role) }], NEW_THREAD)).toMatchObject([{ type: 'message', role }]);
});

test('items keep their order, and each gets a new id', () => {
  const items = parseInput([message('system'), message('user'), message('assistant')], NEW_THREAD);

  expect(items).toMatchObject([{ role: 'system' }, { role: 'user' }, { role: 'assistant' }]);
  expect(new Set(items.map((item) => item.id))).toHaveProperty('size', 3);
});

test.each<[param: string, item: unknown]>([
  ['input[1]', 'text'],
  ['input[1]', null],
  ['input[1]', []],
  ['input[1].type', {}],
  ['input[1].type', { type: 'no_such_type' }],
  ['input[1].type', { type: 5, role: 'user', content: 'hi' }],
  ['input[1].role', message('tool')],
  ['input[1].role', { type: 'message', content: 'hi' }],
  ['input[1].role', message('toString')],
  ['input[1].content', message('user', null)],
  ['input[1].content[0]', message('user', ['hi'])],
  ['input[1].name', { ...call(), name: '' }],
  ['input[1].name', { ...call(), name: undefined }],
  ['input[1].arguments', { ...call(), arguments: {} }],
  ['input[1].call_id', { ...call(), call_id: '' }],
])('%s is named when that item is %j', (param, item) => {
  expect(() => parseInput([message(), item], NEW_THREAD)).toThrow(refused(param));
});

const OF_THE_AGENT = outputsOfSteps
  .map(({ shape }) => (z.toJSONSchema(shape.id).pattern ?? '').replace('[0-9a-f]{32}', '0'.repeat(32)).slice(1, -1))
  .filter((id) => !parseItemId(id));

test.each(OF_THE_AGENT)('a reference to %s is passed over, because the thread has what the agent did', (id) => {
  expect(parseInput([message(), { type: 'item_reference', id }], NEW_THREAD)).toHaveLength(1);
});

test('a resume is tool outputs alone, on a thread that is named', () => {
  expect(parseInput([output()], CONTINUES)).toEqual([
    {
      id: expect.any(String),
      type: 'function_call_output',
      callId: 'c',
      output: [{ type: 'text', text: 'done' }],
    },
  ]);
});

test('a tool output may be empty, or parts', () => {
  const parts = [{ type: 'input_text', text: 'a' }];

  expect(parseInput([output('c', '')], CONTINUES)).toMatchObject([{ output: [{ text: '' }] }]);
  expect(parseInput([output('c', parts)], CONTINUES)).toMatchObject([{ output: [{ text: 'a' }] }]);
});

test('a resume without previous_response_id is refused', () => {
  expect(() => parseInput([output()], NEW_THREAD)).toThrow(refused('previous_response_id'));
});

test.each<[why: string, param: string, item: unknown]>([
  ['an empty call_id', 'input[0].call_id', output('')],
  ['a call_id of null', 'input[0].call_id', output(null)],
  ['a call_id that is not a string', 'input[0].call_id', output(5)],
  ['no call_id', 'input[0].call_id', { type: 'function_call_output', output: 'x' }],
  ['no output', 'input[0].output', { type: 'function_call_output', call_id: 'c' }],
  ['an output of null', 'input[0].output', output('c', null)],
  ['an output that is an object', 'input[0].output', output('c', {})],
])('a resume with %s is refused', (_why, param, item) => {
  expect(() => parseInput([item], CONTINUES)).toThrow(refused(param));
});

test.each<[string, unknown[]]>([
  ['a message after it', [output(), message()]],
  ['a message before it', [message(), output()]],
  ['a system message', [message('system'), output()]],
  ['its own call', [call(), output()]],
])('a resume mixed with %s is refused', (_what, input) => {
  expect(() => parseInput(input, CONTINUES)).toThrow(refused('input'));
});

test('a replayed history is taken when every output stands with its call and no thread is named', () => {
  const history = [message(), call('a'), call('b'), output('a'), output('b'), message('assistant'), message()];

  expect(parseInput(history, NEW_THREAD).map((item) => item.type)).toEqual([
    'message',
    'function_call',
    'function_call',
    'function_call_output',
    'function_call_output',
    'message',
    'message',
  ]);
  expect(parseInput(history, NEW_THREAD)[1]).toMatchObject({ callId: 'a', name: 'look', arguments: '{"a": 1}' });
});

test('a replayed history with an output whose call is missing is refused', () => {
  expect(() => parseInput([message(), call('a'), output('a'), output('b')], NEW_THREAD)).toThrow(refused('input'));
  expect(() => parseInput([message(), output('a')], NEW_THREAD)).toThrow(refused('input'));
});

test('reasoning that a client sends back is left out', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };

  expect(parseInput([message(), reasoning, message('assistant')], NEW_THREAD)).toHaveLength(2);
});

test.each(FOREIGN_TYPES)('a replayed %s of another service is accepted', (type) => {
  const foreign = {
    type,
    id: 'x_1',
    call_id: 'x',
    status: 'completed',
    output: [{ image_url: 'https://example.com/a' }],
  };

  expect(parseInput([message(), foreign, message()], NEW_THREAD)).toHaveLength(2);
  expect(parseInput([foreign, message()], CONTINUES)).toHaveLength(1);
  expect(linksOf([foreign], 'input')).toEqual([]);
  expect(() => parseInput([foreign], CONTINUES)).toThrow(refused('input'));
});

const ANSWERED: [what: string, asked: object, name: string, given: string, answer: object, said: string][] = [
  [
    'custom tool',
    { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** Begin' },
    'patch',
    '{"input":"*** Begin"}',
    { type: 'custom_tool_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'done' }] },
    'done',
  ],
  [
    'local shell',
    { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'] } },
    'local_shell',
    '{"type":"exec","command":["ls"]}',
    { type: 'local_shell_call_output', id: 'c', output: 'a.txt' },
    'a.txt',
  ],
  [
    'shell',
    { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } },
    'shell',
    '{"commands":["ls"]}',
    { type: 'shell_call_output', call_id: 'c', output: [{ stdout: 'a.txt', stderr: 'no b', outcome: {} }] },
    'a.txt\nno b',
  ],
];

test.each(ANSWERED)(
  'an answered call of the %s of another service is history',
  (_what, asked, name, given, answer, said) => {
    const items = [
      { type: 'function_call', callId: 'c', name, arguments: given },
      { type: 'function_call_output', callId: 'c', output: [{ type: 'text', text: said }] },
    ];

    expect(parseInput([message(), asked, answer], NEW_THREAD).slice(1)).toMatchObject(items);
    expect(parseInput([asked, answer, message()], CONTINUES).slice(0, 2)).toMatchObject(items);
    expect(
      parseHistory([asked, answer], 'items', { known: new Map(), openSummary: () => undefined, files: new Map() }),
    ).toMatchObject(items);
  },
);

test('half of a foreign call, and one that no model would accept, are left out', () => {
  const asked = (fields: object) => ({ type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '', ...fields });
  const answer = { type: 'custom_tool_call_output', call_id: 'c', output: 'done' };
  let deep: unknown = {};
  for (let level = 0; level < 100_000; level++) deep = [deep];

  for (const history of [
    [asked({})],
    [answer],
    [answer, asked({})],
    [asked({ name: 'a b' }), answer],
    [asked({ input: deep }), answer],
  ])
    expect(parseInput([...history, message()], NEW_THREAD)).toHaveLength(1);
});
