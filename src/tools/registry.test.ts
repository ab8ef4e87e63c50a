import { expect, test } from 'vitest';
import { builtinTools, createRegistry } from './registry.ts';
import type { Tool } from './tool.ts';

const tool = (name: string): Tool => ({
  definition: { name, description: null, parameters: null, strict: null },
  repeatable: true,
  call: async () => name,
});

test('a tool is found by its exact name', () => {
  const [first, second] = [tool('first'), tool('second')];
  const registry = createRegistry([first, second]);

  expect(registry.find('second')).toBe(second);
  expect(registry.find('Second')).toBeUndefined();
  expect(registry.find('toString')).toBeUndefined();
});

test('the model is told of every tool, in their order', () => {
  expect(createRegistry([tool('b'), tool('a')]).definitions()).toEqual([tool('b').definition, tool('a').definition]);
});

test('the built-in tools have names that no caller can take', () => {
  const names = builtinTools().map((builtin) => builtin.definition.name);

  expect(names).toContain('reborn_time');
  expect(names.filter((name) => !/^(memory|skill|mission|reborn)_/.test(name))).toEqual([]);
});
