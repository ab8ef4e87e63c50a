import { expect, test } from 'vitest';
import { type ItemBody, type MessageRole, text } from './item.ts';
import { agrees, blocksOf } from './replayed-history.ts';

const message = (role: MessageRole, said: string): ItemBody => ({
  type: 'message',
  role,
  content: [text(said)],
  status: 'completed',
});
const call = (callId: string, json = '{}', external = true): ItemBody => ({
  type: 'function_call',
  callId,
  name: 'lookup',
  arguments: json,
  external,
});
const output = (callId: string, said: string): ItemBody => ({
  type: 'function_call_output',
  callId,
  output: [text(said)],
});
const block = (said: string) => `<instructions>\n${said}\n</instructions>`;

const thread = [
  message('user', `${block('Be calm.')}\n\nhello`),
  call('internal', '{}', false),
  output('internal', 'secret of the agent'),
  message('assistant', 'One moment.'),
  call('a', '{"city": "Rome"}'),
  call('b'),
  output('a', 'sunny'),
  message('developer', block('Be brief.')),
];
const replayed = [
  message('user', 'hello'),
  message('assistant', 'One moment.'),
  call('a', '{"city":"Rome"}'),
  output('a', 'sunny'),
  call('b'),
];

test("a replay agrees with the items that the caller has seen, in the caller's order", () => {
  expect(agrees(thread, 'b', replayed)).toBe(true);
  expect(agrees(thread, 'b', [message('user', `${block('Other.')}\n\nhello`), ...replayed.slice(1)])).toBe(true);
});

test('commentary beside an answer with a format is not compared, because the caller has not seen it', () => {
  const commented: ItemBody[] = [
    message('user', 'hello'),
    { type: 'message', role: 'assistant', content: [text('I will ask.')], status: 'completed', phase: 'commentary' },
    call('a'),
  ];

  expect(agrees(commented, 'a', [message('user', 'hello'), call('a')])).toBe(true);
});

test('a format that has all messages of an answer as one text agrees too', () => {
  const talkative = [
    message('user', 'hello'),
    message('assistant', 'One moment. '),
    call('internal', '{}', false),
    output('internal', 'secret of the agent'),
    message('assistant', ''),
    message('assistant', 'Almost there.'),
    call('a'),
  ];
  const joined = [message('user', 'hello'), message('assistant', 'One moment. \n\nAlmost there.'), call('a')];

  expect(agrees(talkative, 'a', joined)).toBe(true);
  expect(agrees(talkative, 'a', joined.with(1, message('assistant', 'One moment.')))).toBe(false);
  expect(agrees(talkative, 'a', joined.toSpliced(1, 1))).toBe(false);
});

test.each([
  ['an edited message', replayed.with(0, message('user', 'hello there'))],
  ['an edited answer', replayed.with(1, message('assistant', 'Two moments.'))],
  ['another argument', replayed.with(2, call('a', '{"city":"Oslo"}'))],
  ['another output', replayed.with(3, output('a', 'rain'))],
  ['a missing message', replayed.slice(1)],
  ['a message more', [message('system', 'Behave.'), ...replayed]],
  ['messages in another order', [replayed[1], replayed[0], ...replayed.slice(2)].filter((item) => item !== undefined)],
])('a replay with %s does not agree', (_what, items) => {
  expect(agrees(thread, 'b', items)).toBe(false);
});

test('the newest instructions count, be they in a message or after a tool result', () => {
  expect(blocksOf(thread)).toEqual([block('Be brief.')]);
  expect(blocksOf(thread.slice(0, -1))).toEqual([block('Be calm.')]);
  expect(blocksOf(replayed)).toEqual([]);
});
