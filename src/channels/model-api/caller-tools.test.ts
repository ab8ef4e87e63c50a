import { expect, test } from 'vitest';
import { parseTools, type ToolRules } from './caller-tools.ts';

const RULES: ToolRules = {
  isTaken: (name) => name === 'taken',
  maxBytes: 16_384,
  layout: 'flat',
  unknownTools: 'refuse',
};
const parse = (tools: unknown, rules: Partial<ToolRules> = {}) => parseTools(tools, { ...RULES, ...rules });
const refused = (param: string) => expect.objectContaining({ name: 'InvalidRequest', code: 'invalid_tool', param });
const named = (name: unknown) => ({ type: 'function', name });

test('a tool is taken with all it says', () => {
  const described = { name: 'look', description: 'Looks.', parameters: { type: 'object', $x: [1] }, strict: true };

  expect(parse([{ type: 'function', ...described, unknown: 1 }])).toEqual([described]);
});

test('fields that a tool leaves out, or gives as null, are null', () => {
  const bare = { name: 'look', description: null, parameters: null, strict: null };

  expect(parse([named('look')])).toEqual([bare]);
  expect(parse([{ type: 'function', ...bare }])).toEqual([bare]);
});

test.each([undefined, null])('tools: %j counts as absent', (tools) => {
  expect(parse(tools)).toBeUndefined();
});

test.each(['a', 'A-z_09', '-', '0', 'a'.repeat(64), 'memory', 'memoryx', 'my_memory_', 'Taken'])(
  'a tool may be named %s',
  (name) => {
    expect(parse([named(name)])).toMatchObject([{ name }]);
  },
);

test.each([
  '',
  'a'.repeat(65),
  'a b',
  'a.b',
  'é',
  'a\n',
  5,
  null,
  undefined,
  'taken',
  'memory_',
  'memory_search',
  'skill_x',
  'mission_x',
  'reborn_time',
])('a tool must not be named %j', (name) => {
  expect(() => parse([named('fine'), named(name)])).toThrow(refused('tools[1].name'));
});

test('a name is unique within the request', () => {
  expect(() => parse([named('a'), named('b'), named('a')])).toThrow(refused('tools[2].name'));
});

test.each(['web_search', 'file_search', 'code_interpreter', 'custom', 'mcp', 'Function', undefined, null, 5])(
  'a tool of type %j is refused',
  (type) => {
    expect(() => parse([{ type, name: 'look' }])).toThrow(refused('tools[0].type'));
  },
);

test.each<[param: string, tool: unknown]>([
  ['tools[0]', 'look'],
  ['tools[0]', null],
  ['tools[0]', []],
  ['tools[0].description', { ...named('look'), description: 5 }],
  ['tools[0].parameters', { ...named('look'), parameters: '{}' }],
  ['tools[0].parameters', { ...named('look'), parameters: [] }],
  ['tools[0].strict', { ...named('look'), strict: 'yes' }],
])('%s is named when the tool is %j', (param, tool) => {
  expect(() => parse([tool])).toThrow(refused(param));
});

test('tools may have 16,384 bytes of canonical JSON, and not one more', () => {
  const empty = Buffer.byteLength(JSON.stringify([{ ...named('look'), description: '' }]));
  const tools = (bytes: number) => [{ ...named('look'), description: 'x'.repeat(bytes - empty) }];

  expect(parse(tools(16_384))).toHaveLength(1);
  expect(() => parse(tools(16_385))).toThrow(refused('tools'));
});

test('what is unknown in a tool counts for its size, and in bytes', () => {
  expect(() => parse([{ ...named('look'), unknown: 'é'.repeat(8_192) }])).toThrow(refused('tools'));
});

test('tools of other types are passed over where the operator says so, and the functions of a namespace are offered', () => {
  const crm = {
    type: 'namespace',
    name: 'crm',
    tools: [named('find'), { type: 'custom', name: 'run' }, named('list')],
  };
  const tools = [named('look'), { type: 'web_search' }, crm, { type: 'namespace', name: 'empty' }];

  expect(parse(tools, { unknownTools: 'ignore' })).toMatchObject([
    { name: 'look' },
    { name: 'crm__find', namespace: 'crm' },
    { name: 'crm__list', namespace: 'crm' },
  ]);
  expect(() => parse(tools)).toThrow(refused('tools[1].type'));
  expect(() => parse([crm])).toThrow(refused('tools[0].type'));
});

test.each<[param: string, tools: unknown[]]>([
  ['tools[1].tools[0].name', [named('a__b'), { type: 'namespace', name: 'a', tools: [named('b')] }]],
  ['tools[0].tools[1].name', [{ type: 'namespace', name: 'a', tools: [named('b'), named(undefined)] }]],
  ['tools[0].tools[0].name', [{ type: 'namespace', name: 'a', tools: [named('b'.repeat(62))] }]],
  ['tools[0].tools[0].name', [{ type: 'namespace', name: 'memory_', tools: [named('b')] }]],
  ['tools[0]', ['look']],
])('%s is refused also where tools of other types are passed over', (param, tools) => {
  expect(() => parse(tools, { unknownTools: 'ignore' })).toThrow(refused(param));
});
