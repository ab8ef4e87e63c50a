import { expect, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import { type NewItem, text } from '#domain/thread/item.ts';
import { createToolActivity, mcpCall } from './tool-activity.ts';

const call = (callId: string, name: string, external = false): NewItem => ({
  id: newId(),
  type: 'function_call',
  callId,
  name,
  arguments: '{}',
  external,
});
const output = (callId: string, said: string): NewItem => ({
  id: newId(),
  type: 'function_call_output',
  callId,
  output: [text(said)],
});

const shown = (items: readonly NewItem[], isIncluded = true) =>
  items.map(createToolActivity(isIncluded)).flatMap((item) => (item ? mcpCall.parse(item) : []));

test('a call is shown with its output, when the output comes', () => {
  expect(shown([call('a', 'first'), call('b', 'second'), output('b', 'two'), output('a', 'one')])).toMatchObject([
    { name: 'second', output: 'two' },
    { name: 'first', output: 'one' },
  ]);
});

test('the first output answers the first call of that id', () => {
  const items = [call('a', 'first'), call('a', 'second'), output('a', 'one'), output('a', 'two')];

  expect(shown(items)).toMatchObject([
    { name: 'first', output: 'one' },
    { name: 'second', output: 'two' },
  ]);
  expect(new Set(shown(items).map(({ id }) => id)).size).toBe(2);
});

test("calls of the caller's tools, calls without an output and outputs without a call are not shown", () => {
  expect(shown([call('a', 'theirs', true), output('a', 'one'), call('b', 'second'), output('c', 'three')])).toEqual([]);
});

test('nothing is shown unless the request includes it', () => {
  expect(shown([call('a', 'first'), output('a', 'one')], false)).toEqual([]);
});

test('a long output is cut, and never in the middle of a character', () => {
  const [item] = shown([call('a', 'first'), output('a', '😀'.repeat(20_000))]);

  expect(item?.output.length).toBeLessThanOrEqual(16_384);
  expect(item?.output.isWellFormed()).toBe(true);
});
