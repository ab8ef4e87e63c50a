import { expect, test } from 'vitest';
import type { ItemId, ThreadId, TurnId } from '../ids.ts';
import { type DatedItem, type ItemBody, text } from './item.ts';
import { type Share, toShared } from './share.ts';

const share: Share = {
  threadId: 't' as ThreadId,
  throughSeq: 2,
  throughPosition: 1,
  withTools: false,
  withAttachments: false,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};
const item = (body: ItemBody, turnSeq = 1, position = 0): DatedItem => ({
  ...body,
  id: 'i' as ItemId,
  threadId: share.threadId,
  turnId: 'u' as TurnId,
  turnSeq,
  position,
  attempt: null,
  usage: null,
  startedAt: null,
  createdAt: new Date(0),
});
const said = (role: 'user' | 'assistant' | 'system' | 'developer'): ItemBody => ({
  type: 'message',
  role,
  content: [text('hello')],
  status: 'completed',
});
const file = { type: 'file', mediaType: 'text/plain', base64: 'c2VjcmV0', filename: 'salaries.txt' } as const;

test('visitors see items up to the shared one, and none after it', () => {
  expect(toShared(share, item(said('user'), 2, 1))).toMatchObject({ role: 'user', content: [{ text: 'hello' }] });
  expect(toShared(share, item(said('user'), 1, 9))).toBeDefined();
  expect(toShared(share, item(said('assistant'), 2, 2))).toBeUndefined();
  expect(toShared(share, item(said('assistant'), 3, 0))).toBeUndefined();
});

test('instructions and summaries are never shown, calls and results only if they are included', () => {
  expect(toShared(share, item(said('system')))).toBeUndefined();
  expect(toShared(share, item(said('developer')))).toBeUndefined();
  const whole = { ...share, withTools: true, withAttachments: true };
  const call = item({ type: 'function_call', callId: 'c', name: 'mail', arguments: '{"to":"ann"}', external: false });
  const result = item({ type: 'function_call_output', callId: 'c', output: [text('sent')] });
  const summary = item({ type: 'compaction', summary: 'words', sealed: '' });
  expect([call, result, summary].map((each) => toShared(share, each))).toEqual([undefined, undefined, undefined]);
  expect([call, result, summary].map((each) => toShared(whole, each))).toMatchObject([
    { type: 'call', arguments: '{"to":"ann"}' },
    { type: 'result', content: [{ text: 'sent' }] },
    undefined,
  ]);
});

test('a hidden attachment shows neither its name nor its bytes', () => {
  const message = item({ type: 'message', role: 'user', content: [text('see'), file], status: 'completed' });
  expect(toShared(share, message)).toMatchObject({ content: [{ text: 'see' }, { type: 'hidden', kind: 'file' }] });
  expect(JSON.stringify(toShared(share, message))).not.toContain('salaries');
  expect(toShared({ ...share, withAttachments: true }, message)).toMatchObject({ content: [{}, file] });
});

test('visitors see the sources of an answer as a list', () => {
  const source = { number: 3, url: 'https://a.example/x', title: 'Harbour', published: null, how: 'read' } as const;
  const citations = { marks: [{ start: 6, end: 10, number: 3, check: 'read' }], sources: [source] } as const;
  const answer = { ...said('assistant'), content: [text('Fresh [s3].')], citations } as ItemBody;
  expect(toShared(share, item(answer))).toMatchObject({
    content: [{ text: 'Fresh [1].\n\nSources:\n1. [Harbour](https://a.example/x) – a.example' }],
  });
});
