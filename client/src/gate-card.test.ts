import { expect, test } from 'vitest';
import type { OpenGate, ReadSource } from './api.ts';
import {
  addressOf,
  answerOf,
  approvableCalls,
  describeAddress,
  describeReason,
  reasonOf,
  rulesOf,
} from './gate-card.ts';

const source = (kind: ReadSource['kind'], name: string | null, more: Partial<ReadSource> = {}): ReadSource => ({
  kind,
  name,
  foreign: true,
  private: false,
  item_id: null,
  ...more,
});
const call = (id: string, json = '{}', address: OpenGate['address'] = null) => ({
  call_id: id,
  name: 'send',
  arguments: json,
  address,
});
const gate = (situation: OpenGate['situation'], ...because: ReadSource[]) => ({
  situation,
  because,
  calls: [call('a')],
});
const NOTES = source('notes', null, { foreign: false, private: true });

test('the reason is one sentence that names what was read, text by others first', () => {
  const read = gate('both', NOTES, source('page', 'https://news.example/boats'));
  expect(describeReason(read)).toBe(
    'Asked because this conversation has read news.example/boats (text by others) and your notes.',
  );
  expect(describeReason(read, (name) => `\`${name}\``)).toContain('read `news.example/boats` (text');
});

test.each([
  [source('search', null), 'results of a search (text by others)'],
  [source('missions', null, { foreign: false }), 'your missions'],
  [source('server', 'tracker'), 'the output of tracker (text by others)'],
  [source('file', 'plan.pdf'), 'the file plan.pdf (text by others)'],
  [source('file', null), 'a picture or file (text by others)'],
  [source('message', 'forwarded'), 'a forwarded message (text by others)'],
  [source('message', 'quoted'), 'a quoted message (text by others)'],
  [source('message', 'shared'), 'a shared message (text by others)'],
  [source('message', 'mail'), 'a message (mail) (text by others)'],
  [source('summary', null), 'earlier messages (text by others)'],
  [
    source('page', `https://x.example/\u202e${'y'.repeat(200)}`),
    `x.example/\\u202e${'y'.repeat(84)}… (text by others)`,
  ],
])('a source is named as people know it: %j', (because, words) => {
  expect(describeReason(gate('foreign', because))).toBe(`Asked because this conversation has read ${words}.`);
});

test('of many sources the newest are named, and private data beside them', () => {
  const pages = [1, 2, 3, 4].map((n) => source('page', `https://${n}.example/`));
  expect(describeReason(gate('both', NOTES, ...pages))).toBe(
    'Asked because this conversation has read 4.example (text by others), 3.example (text by others), your notes and 2 more.',
  );
});

test('a call that always asks does not name a text as the reason', () => {
  expect(reasonOf(gate('clean'))).toBeUndefined();
  expect(reasonOf(gate('clean', NOTES))).toBeUndefined();
  const address = { kind: 'composed', site: 'x.example', shown: 0 } as const;
  const opening = { ...gate('clean', NOTES), calls: [call('a', '{"url":"https://x.example/"}', address)] };
  expect(describeReason(opening)).toBe('Asked because this conversation has read your notes.');
});

test('a composed address is divided where its unshown part begins', () => {
  const address = { kind: 'composed', site: 'news.example', shown: 31 } as const;
  const json = '{"url":"http://news.example/rest?for=My diary\u200b#top"}';
  const facts = addressOf(call('a', json, { ...address, shown: 'https://news.example/rest?for='.length }));
  expect(facts).toEqual({
    kind: 'composed',
    site: 'news.example',
    shown: 'https://news.example/rest?for=',
    unshown: 'My%20diary%E2%80%8B',
  });
  expect(facts && describeAddress(facts)).toBe(
    'This part of the address was written by the agent and goes to news.example: My%20diary%E2%80%8B',
  );
  expect(addressOf(call('a', 'no json', address))).toBeUndefined();
});

test('an answer names each call only where they differ', () => {
  const calls = { calls: [call('a'), call('b'), call('c', `"${'x'.repeat(50_001)}"`)] };
  expect(approvableCalls(calls).map(({ call_id: id }) => id)).toEqual(['a', 'b']);
  expect(answerOf(calls, new Set(['a', 'b', 'c']))).toEqual({ answer: 'approve' });
  expect(answerOf(calls, new Set(), 'no')).toEqual({ answer: 'deny', reason: 'no' });
  expect(answerOf(calls, new Set(['b']))).toEqual({ answers: { a: 'deny', b: 'approve', c: 'deny' } });
});

test('rules are offered narrowest first, and wide ones only while nothing by others was read', () => {
  const always = ['text: any text', 'to = "x: any text"'];
  const asked = { always, calls: [{ ...call('a'), always }], mission_id: null };
  const kinds = (more: Partial<OpenGate>) => rulesOf({ ...asked, situation: 'clean', ...more }).map(({ kind }) => kind);
  expect(rulesOf({ ...asked, situation: 'clean' })).toEqual([
    { kind: 'exactly', answer: { answer: 'always', exactly: true }, free: [] },
    { kind: 'any-text', answer: { answer: 'always' }, free: ['text'] },
  ]);
  expect(kinds({ situation: 'foreign' })).toEqual(['exactly']);
  expect(kinds({ situation: 'both', mission_id: 'm' })).toEqual(['exactly', 'mission']);
  expect(kinds({ calls: [{ ...call('a'), always: ['to = "x: any text"'] }] })).toEqual(['exactly']);
  expect(rulesOf({ calls: [call('a')], situation: 'clean', mission_id: null })).toEqual([]);
});
