import { expect, test } from 'vitest';
import type { OpenGate, TreeNode } from './api.ts';
import { askerOf, openGatesOf, stateOfSubagent, subagentsOf } from './subagents.ts';

const node = (call: string, parent: string, more: Partial<TreeNode> = {}): TreeNode => ({
  call,
  parent_id: parent,
  thread_id: `thread of ${call}`,
  depth: 1,
  task: call,
  state: 'active',
  outcome: null,
  gate: null,
  tokens_limit: 100,
  tokens: 1,
  usd: 0,
  started_at: '2026-03-01T12:00:00.000Z',
  ended_at: null,
  ...more,
});

test('the subagents of a call come with those below them, each after the one above it', () => {
  const nodes = [
    node('one', 'root'),
    node('other', 'root'),
    node('below one', 'thread of one'),
    node('below that', 'thread of below one'),
    node('also below one', 'thread of one'),
  ];
  const shown = (call: string) => subagentsOf(nodes, call).map(({ call: id, level }) => `${level} ${id}`);
  expect(shown('one')).toEqual(['0 one', '1 below one', '2 below that', '1 also below one']);
  expect(shown('other')).toEqual(['0 other']);
  expect(shown('missing')).toEqual([]);
  expect(subagentsOf(nodes, 'one')).toBe(subagentsOf(nodes, 'one'));
  expect(subagentsOf([...nodes], 'one')).not.toBe(subagentsOf(nodes, 'one'));
});

test.each([
  ['active', null, 'working'],
  ['waiting', null, 'waiting'],
  ['ended', 'completed', 'done'],
  ['ended', 'incomplete', 'incomplete'],
  ['ended', 'failed', 'failed'],
  ['ended', 'cancelled', 'stopped'],
  ['ended', 'deleted', 'deleted'],
  ['ended', null, 'deleted'],
] as const)('a subagent that is %s with the outcome %s is %s', (state, outcome, expected) => {
  expect(stateOfSubagent({ state, outcome })).toBe(expected);
});

test("a thread waits for its own gate and for those of its subagents, but not for another program's", () => {
  const gate = (id: string, kind: OpenGate['kind'] = 'approval') => ({ id, kind }) as OpenGate;
  const subagents = [
    node('one', 'root', { gate: gate('below') }),
    node('two', 'root'),
    node('three', 'root', { gate: gate('elsewhere', 'external-tool') }),
  ];
  expect(openGatesOf({ gate: gate('own'), subagents }).map(({ id }) => id)).toEqual(['own', 'below']);
  expect(openGatesOf({ gate: undefined, subagents: [] })).toEqual([]);
});

test('a gate names its subagent below the thread at the top', () => {
  expect(askerOf({ path: ['Trip', 'Research', 'Prices'] })).toBe('Research › Prices');
  expect(askerOf({ path: ['Trip'] })).toBeUndefined();
  expect(askerOf({})).toBeUndefined();
});
