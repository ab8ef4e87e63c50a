import { expect, test } from 'vitest';
import { isReservedName } from '#domain/tool/reserved-names.ts';
import { memoryTools } from './builtin/memory-tools.ts';
import { builtinTools, createRegistry } from './registry.ts';
import type { Tool } from './tool.ts';

const tool = (name: string): Tool => ({
  definition: { name, description: null, parameters: null, strict: null },
  repeatable: true,
  call: async () => name,
});

test('a tool is found by its exact name', async () => {
  const [first, second] = [tool('first'), tool('second')];
  const registry = await createRegistry([first, second]).current({ userId: 'ann' });

  expect(registry.find('second')).toBe(second);
  expect(registry.find('Second')).toBeUndefined();
  expect(registry.find('toString')).toBeUndefined();
});

test('the model gets every tool, in order', async () => {
  expect((await createRegistry([tool('b'), tool('a')]).current({ userId: 'ann' })).definitions()).toEqual([
    tool('b').definition,
    tool('a').definition,
  ]);
});

const never = () => Promise.reject(new Error('not called'));
const NO_SKILLS = { list: async () => [], find: async () => undefined };

test('the built-in tools have names that no caller can take', () => {
  const names = builtinTools({ egress: { send: never }, extract: never }, NO_SKILLS).map(
    (builtin) => builtin.definition.name,
  );

  expect(names).toContain('reborn_time');
  expect(names.filter((name) => !isReservedName(name))).toEqual([]);
});

test('the tools of notes and skills need no approval', () => {
  const tools = [
    ...memoryTools({ search: async () => [], find: async () => undefined, writeByAgent: never, delete: never }),
    ...builtinTools({ egress: { send: never }, extract: never }, NO_SKILLS).filter(({ definition }) =>
      definition.name.startsWith('skill_'),
    ),
  ];

  expect(tools.map(({ definition, level }) => [definition.name, level])).toEqual([
    ['memory_search', 'allow'],
    ['memory_read', 'allow'],
    ['memory_write', 'allow'],
    ['memory_delete', 'allow'],
    ['skill_list', 'allow'],
    ['skill_read', 'allow'],
  ]);
});

test('installed tools come and go, and never replace a built-in one', async () => {
  let installed = [tool('weather'), tool('reborn_time')];
  const fixed = tool('reborn_time');
  const registry = createRegistry([fixed], async () => installed);

  const before = await registry.current({ userId: 'ann' });
  installed = [];
  const after = await registry.current({ userId: 'ann' });

  expect(before.find('weather')).toBeDefined();
  expect(before.find('reborn_time')).toBe(fixed);
  expect(before.definitions()).toHaveLength(2);
  expect(after.find('weather')).toBeUndefined();
});
