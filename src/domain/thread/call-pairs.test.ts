import { expect, test } from 'vitest';
import type { ItemId } from '../ids.ts';
import { otherHalves } from './call-pairs.ts';

const call = (turnSeq: number, callId: string) => item('function_call', turnSeq, callId);
const output = (turnSeq: number, callId: string) => item('function_call_output', turnSeq, callId);
const item = (type: 'function_call' | 'function_call_output', turnSeq: number, callId: string) => ({
  id: `${type} ${turnSeq} ${callId}` as ItemId,
  turnSeq,
  type,
  callId,
});
const idsOf = (...given: Parameters<typeof otherHalves>) => otherHalves(...given).map(({ id }) => id);

test('a pair inside one turn stays or goes together', () => {
  const items = [call(1, 'a'), output(1, 'a'), call(2, 'b'), output(2, 'b')];
  expect(idsOf(items, 1, false)).toEqual([]);
});

test('the call of a deleted output goes, and so does the output of a deleted call', () => {
  const items = [call(1, 'a'), output(2, 'a')];
  expect(idsOf(items, 2, false)).toEqual(['function_call 1 a']);
  expect(idsOf(items, 1, false)).toEqual(['function_call_output 2 a']);
});

test('a call id that is used again pairs in order', () => {
  const items = [call(1, 'a'), output(2, 'a'), call(2, 'a'), output(3, 'a')];
  expect(idsOf(items, 3, false)).toEqual(['function_call 2 a']);
});

test('when the turn that waits goes, all calls that wait with it go', () => {
  const items = [call(1, 'a'), call(1, 'b'), call(1, 'c'), output(2, 'a')];
  expect(idsOf(items, 2, true)).toEqual(['function_call 1 a', 'function_call 1 b', 'function_call 1 c']);
});
