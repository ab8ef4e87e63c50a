import { expect, test } from 'vitest';
import { readChatGpt } from './read-chatgpt.ts';

const NOW = new Date('2026-11-19T12:00:00Z');
const at = (time: string) => Date.parse(time) / 1000;

type Fields = { readonly role?: string; readonly [field: string]: unknown };
const said = (parts: unknown[], { role = 'user', ...more }: Fields = {}) => ({
  author: { role },
  content: { content_type: 'text', parts },
  create_time: at('2024-03-01T08:00:30Z'),
  ...more,
});

/** A conversation whose messages follow each other. */
const line = (messages: readonly object[], more: object = {}) => ({
  conversation_id: 'c-1',
  title: 'Boats',
  create_time: at('2024-03-01T08:00:00Z'),
  update_time: at('2024-03-02T09:00:00Z'),
  current_node: String(messages.length),
  mapping: Object.fromEntries(
    [null, ...messages].map((message, index) => [
      String(index),
      { id: String(index), message, parent: index === 0 ? null : String(index - 1) },
    ]),
  ),
  ...more,
});

const read = (given: unknown) => readChatGpt(given, NOW);
const wordsOf = (given: unknown) => read(given)?.messages.map(({ role, text }) => `${role}: ${text}`);

test('a conversation keeps its title, its times and who said what', () => {
  expect(read(line([said(['Hello']), said(['Hi there.'], { role: 'assistant' })]))).toEqual({
    id: 'c-1',
    title: 'Boats',
    isArchived: false,
    createdAt: new Date('2024-03-01T08:00:00Z'),
    updatedAt: new Date('2024-03-02T09:00:00Z'),
    messages: [
      { role: 'user', text: 'Hello', at: new Date('2024-03-01T08:00:30Z') },
      { role: 'assistant', text: 'Hi there.', at: new Date('2024-03-01T08:00:30Z') },
    ],
  });
});

test('of edited messages, the line that was shown last is read', () => {
  const chat = line([said(['First try'])]);
  const other = { message: said(['Second try']), parent: '0' };
  const answer = { message: said(['An answer'], { role: 'assistant' }), parent: 'other' };
  const edited = { ...chat, mapping: { ...chat.mapping, other, answer }, current_node: 'answer' };
  expect(wordsOf(edited)).toEqual(['user: Second try', 'assistant: An answer']);
  expect(wordsOf({ ...edited, current_node: undefined })).toEqual(['user: Second try', 'assistant: An answer']);
});

test('tools, thoughts, instructions and hidden messages are left out, and the pieces of an answer are one', () => {
  const assistant = { role: 'assistant' };
  const thoughts = { author: assistant, content: { content_type: 'thoughts', thoughts: [{ summary: 'Secret' }] } };
  expect(
    wordsOf(
      line([
        said(['You are ChatGPT.'], { role: 'system' }),
        said(['About me'], { metadata: { is_visually_hidden_from_conversation: true } }),
        said(['What is new?']),
        thoughts,
        said(['I look.'], assistant),
        said(['search("boats")'], { role: 'assistant', recipient: 'web' }),
        said(['Found text'], { role: 'tool' }),
        said(['A race\uE200cite\uE202turn0search1\uE201 on Sunday.'], assistant),
        said(['']),
      ]),
    ),
  ).toEqual(['user: What is new?', 'assistant: I look.\n\nA race on Sunday.']);
});

test('pictures leave a note, and what was spoken its words', () => {
  const parts = [
    { content_type: 'image_asset_pointer', asset_pointer: 'sediment://x' },
    { content_type: 'audio_transcription', text: 'What is this?' },
  ];
  const content = { content_type: 'multimodal_text', parts };
  expect(wordsOf(line([{ author: { role: 'user' }, content }]))).toEqual([
    'user: [A picture or a file, which the export of the conversations does not have.]\n\nWhat is this?',
  ]);
});

test('times that can not be are those of the conversation or of now', () => {
  const future = at('2090-01-01T00:00:00Z');
  const chat = line([said(['Hello'], { create_time: future })], { update_time: future });
  expect(read(chat)?.updatedAt).toEqual(new Date('2024-03-01T08:00:00Z'));
  expect(read(chat)?.messages[0]?.at).toEqual(new Date('2024-03-01T08:00:00Z'));
  expect(read({ ...chat, create_time: -5 })?.createdAt).toEqual(NOW);
});

/** The CPU time of reading a conversation with so many messages. */
function costOf(count: number): number {
  const chat = line(Array<object>(count).fill(said(['Hello'])));
  const before = process.cpuUsage();
  expect(read(chat)?.messages).toHaveLength(count);
  return process.cpuUsage(before).user;
}

test('a long conversation is read in proportion to its length', () => {
  costOf(40_000); // compiles the code
  const short = costOf(40_000);
  expect(costOf(200_000) / short).toBeLessThan(10);
});

test('a circle of messages ends, and what is not a conversation is not read', () => {
  const circle = {
    id: 'c',
    current_node: 'a',
    mapping: { a: { parent: 'b', message: said(['A']) }, b: { parent: 'a' } },
  };
  expect(wordsOf(circle)).toEqual(['user: A']);
  const broken = line([said(['Good']), { author: 'nobody' }, said(['Also good'])]);
  expect(wordsOf(broken)).toEqual(['user: Good', 'user: Also good']);
  for (const given of [{}, { mapping: {} }, { id: 'x', mapping: [] }, { id: 5, mapping: {} }])
    expect(read(given)).toBeUndefined();
  expect(read({ id: 'x', mapping: {} })).toMatchObject({ messages: [] });
});
