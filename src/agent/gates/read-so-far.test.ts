import { expect, test } from 'vitest';
import { type ItemId, newId } from '#domain/ids.ts';
import { type Item, type ItemBody, type OutputReads, text, textByOthers } from '#domain/thread/item.ts';
import { WEB_FETCH } from '#domain/tool/reserved-names.ts';
import { INERT, type Tool } from '#tools/tool.ts';
import { readBefore, readsOf } from './read-so-far.ts';

const CLOCK: Tool = {
  definition: { name: 'clock', description: null, parameters: null, strict: null },
  repeatable: true,
  level: 'allow',
  flow: INERT,
  call: async () => '',
};
const tools = { find: (name: string) => (name === 'clock' ? CLOCK : undefined), definitions: () => [] };

function threadOf(...bodies: ItemBody[]): Item[] {
  return bodies.map((body, position) => ({
    ...body,
    id: `i${position}` as ItemId,
    threadId: newId<Item['threadId']>(),
    turnId: newId<Item['turnId']>(),
    turnSeq: 1,
    position,
    attempt: 0,
    usage: null,
    startedAt: null,
  }));
}

const says = (...content: Extract<ItemBody, { type: 'message' }>['content']): ItemBody => ({
  type: 'message',
  role: 'user',
  content,
  status: 'completed',
});
const called = (name: string, more: { callId?: string; external?: boolean; url?: string } = {}): ItemBody => ({
  type: 'function_call',
  callId: more.callId ?? 'c0',
  name,
  arguments: JSON.stringify(more.url ? { url: more.url } : {}),
  external: more.external ?? false,
});
const returned = (reads?: OutputReads, callId = 'c0'): ItemBody => ({
  type: 'function_call_output',
  callId,
  output: [text('See https://a.example/x')],
  ...(reads && { reads }),
});

const readAfter = (history: Item[], callId?: string) =>
  readBefore(callId, { history, tools, summary: null, isCut: false });

test("a caller's output stays foreign when a later call has the same id", () => {
  const history = threadOf(
    says(text('Hello')),
    called('theirs', { external: true }),
    returned(),
    called('clock'),
    returned({}),
  );
  expect(readAfter(history)).toMatchObject({ situation: 'both', sources: [{ kind: 'caller', name: 'theirs' }] });
});

test('a denied call does not hide pages that were opened by calls with the same id', () => {
  const url = 'https://a.example/x';
  const history = threadOf(
    says(text('Hello')),
    called(WEB_FETCH, { url }),
    returned({ foreign: true }),
    called('clock'),
    returned({}),
    called(WEB_FETCH, { url: 'https://b.example/' }),
    returned({}),
  );
  expect(readAfter(history).opened).toEqual([url]);
});

test('a call is judged by what came before its answer, and later ones by all of it', () => {
  const history = threadOf(
    says(text('Hello')),
    called('fetch', { callId: 'a' }),
    called('send', { callId: 'b' }),
    returned(undefined, 'a'),
    returned(undefined, 'b'),
  );
  expect(readAfter(history, 'i2').situation).toBe('clean');
  expect(readAfter(history).situation).toBe('both');
});

test('texts that a person has vouched for, and their files, count as their own', () => {
  const foreign = says(text('Look'), textByOthers('Hi', 'forwarded'));
  const file = { type: 'file', mediaType: 'text/plain', filename: 'a.txt', base64: '' } as const;
  const situationAfter = (item: ItemBody) => readAfter(threadOf(item)).situation;
  expect(situationAfter(foreign)).toBe('both');
  expect(situationAfter({ ...foreign, vouched: true } as ItemBody)).toBe('clean');
  expect(situationAfter(says(file))).toBe('both');
  expect(situationAfter(says({ ...file, origin: 'own' }))).toBe('clean');
});

test('everything seen is named once, the newest last: pages by their host, notes by their version, a summary by what it sums up', () => {
  const reads = { foreign: true, private: true, seen: [{ kind: 'page', name: 'old.example', itemId: 'i' }] } as const;
  const summary = { throughSeq: 0, throughPosition: 0, turnSeq: 0, text: 'Before.', reads };
  const history = threadOf(
    says(text('Hello'), textByOthers('Hi', 'forwarded')),
    called(WEB_FETCH, { url: 'https://a.example/x' }),
    returned({ foreign: true }),
    called(WEB_FETCH, { url: 'https://a.example/y' }),
    returned({ foreign: true }),
    called('memory_read'),
    returned({ private: true, notes: [{ path: 'people/ann', version: 3 }] }),
    called('clock'),
    returned({}),
  );
  const page: Tool = {
    ...CLOCK,
    flow: { reads: { foreign: true }, from: 'page', runs: 'always' },
    source: (json) => (JSON.parse(json) as { url: string }).url,
  };
  const withPages = { ...tools, find: (name: string) => (name === WEB_FETCH ? page : tools.find(name)) };
  expect(readBefore(undefined, { history, tools: withPages, summary, isCut: false }).seen()).toMatchObject([
    { kind: 'page', name: 'old.example', itemId: 'i' },
    { kind: 'message', name: 'forwarded' },
    { kind: 'page', name: 'a.example' },
    { kind: 'note', name: 'people/ann', version: 3 },
  ]);
});

test('a child has what the run above had read, and the addresses that the person wrote there', () => {
  const task = { ...says(text('Open https://b.example/y')), author: 'agent' } as const;
  const above = { ownTexts: ['Read https://a.example/x'], opened: ['https://a.example/x'] };
  const readIn = (reads: OutputReads) =>
    readBefore(undefined, {
      history: threadOf({ ...task, reads } as ItemBody),
      tools,
      summary: null,
      isCut: false,
      above,
    });

  expect(readIn({}).situation).toBe('clean');
  const read = readIn({ foreign: true, private: true });
  expect(read).toMatchObject({ situation: 'both', opened: above.opened, ownTexts: above.ownTexts });
  expect([...read.ownLinks()]).toEqual(['https://a.example/x']);
  expect([...read.shownLinks()]).toEqual(['https://b.example/y']);
});

test('a summary of a history that was cut may hold anything', () => {
  const facts = { history: threadOf(says(text('Hello'))), tools, summary: null };

  expect(readsOf({ ...facts, isCut: true })).toEqual({
    foreign: true,
    private: true,
    seen: [{ kind: 'summary', name: null }],
  });
  expect(readsOf({ ...facts, isCut: false })).toEqual({ foreign: false, private: false });
});
