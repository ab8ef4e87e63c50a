import { expect, test } from 'vitest';
import type { GateId, ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import type { AskedCall, OpenGate } from '#domain/tool/gate.ts';
import type { ChatPort } from '../chat-port.ts';
import { messageFor } from './gate-buttons.ts';

const call = (name: string, json: string): AskedCall['call'] => ({
  id: name as ItemId,
  type: 'function_call',
  callId: name,
  name,
  arguments: json,
  external: false,
});
const gate = (asked: OpenGate['asked']): OpenGate => ({
  id: '0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11' as GateId,
  threadId: 't' as ThreadId,
  turnId: 'n' as TurnId,
  userId: 'u',
  kind: 'approval',
  call: call('send', '{"to":"ann"}'),
  revision: null,
  asked,
  createdAt: new Date(0),
});
const url = 'https://news.example/rest?for=diary';
const read = {
  situation: 'both',
  because: [
    { kind: 'notes', name: null, private: true, itemId: null },
    { kind: 'page', name: 'https://news.example/`boats', foreign: true, itemId: null },
  ],
} as const;
const open = (shown: number): AskedCall => ({
  call: call('open', JSON.stringify({ url })),
  revision: null,
  address: { kind: 'composed', site: 'news.example', shown },
});
const port = (style: ChatPort['style'], longest = 2000) =>
  ({ style, split: (text: string) => text.match(new RegExp(`[^]{1,${longest}}`, 'g')) ?? [] }) as unknown as ChatPort;
const REASON = "Asked because this conversation has read `news.example/'boats` (text by others) and your notes.";

test('a chat shows why a card asks, all of its calls, and the unshown part of an address', () => {
  const message = messageFor(gate({ ...read, others: [open(url.indexOf('diary'))] }), port('chat'), undefined);
  for (const words of [
    '**Approve these 2 calls?**',
    REASON,
    '1. Run `send`?',
    '2. Run `open`?',
    '```\n{"to":"ann"}\n```',
    'written by the agent and goes to `news.example`: `diary`',
  ])
    expect(message.markdown).toContain(words);
  expect(message.buttons?.map(({ label }) => label)).toEqual(['Approve all 2', 'Deny all']);
});

test('a button is bound to all calls that are shown with it', () => {
  const dataOf = (asked: OpenGate['asked']) => messageFor(gate(asked), port('chat'), undefined).buttons?.[0]?.data;
  const one = dataOf(read);
  const other = call('open', '{}');
  expect(
    new Set([one, dataOf({ ...read, others: [open(0)] }), dataOf({ ...read, others: [{ ...open(0), call: other }] })])
      .size,
  ).toBe(3);
  expect(one).toBe(dataOf(null));
});

test('what does not fit into one message can only be denied there, and a letter only links to the web app', () => {
  const long = messageFor(gate(read), port('chat', 50), 'https://reborn.example/threads/t');
  expect(long.markdown).toContain(REASON);
  expect(long.buttons?.map(({ label }) => label)).toEqual(['Deny']);
  const letter = messageFor(gate({ ...read, others: [open(0)] }), port('letter'), undefined);
  expect(letter.markdown).toContain('**An approval is needed** for `send` and `open`.');
  expect(letter.markdown).toContain(REASON);
  expect(letter).not.toHaveProperty('buttons');
});

test('a question in a chat and in a letter is the sentence of the tool, and values in it are set apart', () => {
  const asked = { ...gate(null), call: call('memory_write', '{"path":"people/ann","text":"**Approve**"}') };
  for (const style of ['chat', 'letter'] as const)
    expect(messageFor(asked, port(style), undefined).markdown).toContain('Save the note `people/ann`?');
  const hostile = { ...asked, call: call('memory_read', '{"path":"**a** `b` [c](https://d.example)"}') };
  expect(messageFor(hostile, port('letter'), undefined).markdown).toContain(
    "Read your note “`**a** 'b' [c](https://d.example)`”?",
  );
});
