import { expect, test } from 'vitest';
import type { ItemId, ThreadId, TurnId } from '../ids.ts';
import { callerItems } from './caller-items.ts';
import { type Item, type ItemBody, text } from './item.ts';
import { blocksMessage } from './replayed-history.ts';

const item = (body: ItemBody, attempt: number | null = 0): Item => ({
  id: crypto.randomUUID() as ItemId,
  threadId: 't' as ThreadId,
  turnId: 'u' as TurnId,
  turnSeq: 1,
  position: 0,
  usage: null,
  startedAt: null,
  attempt,
  ...body,
});
const message = item({ type: 'message', role: 'user', content: [text('hello')], status: 'completed' }, null);
const call = (callId: string, external: boolean) =>
  item({ type: 'function_call', callId, name: 'look', arguments: '{}', external });
const output = (callId: string, attempt: number | null) =>
  item({ type: 'function_call_output', callId, output: [text('seen')] }, attempt);

test("the agent's calls and their outputs are left out, and the caller's are not", () => {
  const theirs = [call('b', true), output('b', null)];

  expect(callerItems([message, call('a', false), output('a', 0), ...theirs])).toEqual([message, ...theirs]);
});

test('the call of an output may be before the items', () => {
  const [mine, theirs] = [output('a', null), output('b', 0)];

  expect(callerItems([mine, theirs], [call('a', false), call('b', true)])).toEqual([theirs]);
});

test('an output without a call is shown if it came with an input', () => {
  const [sent, made] = [output('a', null), output('b', 0)];

  expect(callerItems([sent, made])).toEqual([sent]);
});

test('instructions that came with a tool result are left out, and other developer messages are not', () => {
  const instructions = item(blocksMessage(['<instructions>\nBe brief.\n</instructions>']), null);
  const other = item({ type: 'message', role: 'developer', content: [text('Be kind.')], status: 'completed' }, null);

  expect(callerItems([instructions, other])).toEqual([other]);
});

test('commentary is left out, because its response does not show it', () => {
  const said = { type: 'message', role: 'assistant', content: [text('Well.')], status: 'completed' } as const;

  expect(callerItems([item({ ...said, phase: 'commentary' }), message])).toEqual([message]);
});
