import { expect, test } from 'vitest';
import { type Item, type ItemBody, type MessageRole, text } from './item.ts';
import { isAnswered, pendingCalls } from './pending-calls.ts';

const message = (role: MessageRole): ItemBody => ({
  type: 'message',
  role,
  content: [text('hi')],
  status: 'completed',
});
const call = (callId: string): ItemBody => ({
  type: 'function_call',
  external: false,
  callId,
  name: 'look',
  arguments: '{}',
});
const output = (callId: string): ItemBody => ({ type: 'function_call_output', callId, output: [text('done')] });

/** A thread with one item after the other; its positions tell equal items apart. */
function thread(bodies: readonly ItemBody[], place: Partial<Item> = {}): Item[] {
  const defaults = { id: 'i', threadId: 't', turnId: 'u', turnSeq: 1, attempt: 0, usage: null, startedAt: null };
  return bodies.map((body, position) => ({ ...defaults, position, ...body, ...place }) as Item);
}

test.each<[title: string, bodies: ItemBody[], pending: number[]]>([
  ['a thread without calls has none pending', [message('user'), message('assistant')], []],
  ['calls are taken in the order the model made them', [message('user'), call('b'), call('a')], [1, 2]],
  ['an answered call is not pending', [call('a'), call('b'), output('a')], [1]],
  ['outputs may come in any order', [call('a'), call('b'), call('c'), output('c'), output('a')], [1]],
  ['no call is pending once all have outputs', [call('a'), call('b'), output('a'), output('b')], []],
  ['text before a call does not hide it', [message('user'), message('assistant'), call('a')], [2]],
  ['a second round is looked at alone', [call('a'), output('a'), call('b'), call('c'), output('b')], [3]],
  ['a call_id used again in a later round is pending again', [call('a'), output('a'), call('a')], [2]],
  ['a call_id used in two rounds needs two outputs', [call('a'), output('a'), call('a'), output('a')], []],
  ['a call before a later message is past', [call('a'), message('user')], []],
  ['a system message does not end the search', [call('a'), message('system'), message('developer')], [0]],
])('%s', (_title, bodies, pending) => {
  expect(pendingCalls(thread(bodies)).map((item) => item.position)).toEqual(pending);
  expect(pendingCalls(thread(bodies))[0]?.position).toBe(pending[0]);
});

test('after a resume the next call of the earlier turn is the pending one', () => {
  const asked = thread([message('user'), call('a'), call('b')]);
  const resumed = thread([output('a')], { turnSeq: 2, attempt: null });

  expect(pendingCalls([...asked, ...resumed])[0]).toMatchObject({ callId: 'b', turnSeq: 1 });
});

test.each<[title: string, history: Item[], answered: boolean]>([
  ['a turn that ends with its own reply is answered', thread([message('user'), message('assistant')]), true],
  ['a later attempt of the turn counts as itself', thread([message('assistant')], { attempt: 3 }), true],
  ['an assistant message of the input is not a reply', thread([message('assistant')], { attempt: null }), false],
  ['the reply of an earlier turn is not this one', thread([message('assistant')], { turnSeq: 0 }), false],
  ['a call after the text leaves the turn unanswered', thread([message('assistant'), call('a')]), false],
  ['so does its output', thread([message('assistant'), call('a'), output('a')]), false],
  ['a user message is not a reply', thread([message('user')]), false],
  ['an empty thread is not answered', [], false],
])('%s', (_title, history, answered) => {
  expect(isAnswered(1, history)).toBe(answered);
});
