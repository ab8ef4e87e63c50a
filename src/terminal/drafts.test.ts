import { beforeEach, expect, test } from 'vitest';
import { createDrafts, type DraftStore } from './drafts.ts';

let kept: Map<string, string>;
let typed: string;
let shown: string | undefined;
let aside: string[];

const store: DraftStore = {
  read: async (threadId = 'new') => kept.get(threadId) ?? '',
  keep: async (threadId = 'new', text) => void (text === '' ? kept.delete(threadId) : kept.set(threadId, text)),
};

beforeEach(() => {
  kept = new Map();
  typed = '';
  shown = undefined;
  aside = [];
});

const start = (threadId?: string) =>
  createDrafts({
    store,
    threadId,
    composer: { get: () => typed, set: (text) => (typed = text) },
    shownThread: () => shown,
    besides: () => aside,
  });

test('what is typed comes back at the next start of the same thread', async () => {
  typed = 'by train?';
  await start('oslo').keep();
  typed = '';
  await start('bergen').restore();
  expect(typed).toBe('');
  await start('oslo').restore();
  expect(typed).toBe('by train?');
});

test('what is typed while the first message makes the thread belongs to that thread', async () => {
  const drafts = start();
  typed = 'and then';
  await drafts.keep();
  expect([...kept]).toEqual([['new', 'and then']]);
  shown = 'oslo';
  await drafts.keep();
  expect([...kept]).toEqual([['oslo', 'and then']]);
});

test('a message that is on its way, and an answer that is being typed, are kept until they are sent', async () => {
  const drafts = start('oslo');
  const sending = Promise.withResolvers<void>();
  const sent = drafts.whileSending('first', () => sending.promise);
  aside = ['second'];
  typed = 'third';
  await drafts.keep();
  expect(kept.get('oslo')).toBe('first\nsecond\nthird');
  sending.resolve();
  await sent;
  aside = [];
  await drafts.keep();
  expect(kept.get('oslo')).toBe('third');
});

test('a message that could not be sent is back in the composer, before what was typed since', async () => {
  typed = 'more';
  await expect(start().whileSending('a question', () => Promise.reject(new Error('refused')))).rejects.toThrow();
  expect(typed).toBe('a question\nmore');
});

test('each thread keeps its text while another one is open', async () => {
  shown = 'oslo';
  const drafts = start('oslo');
  kept.set('bergen', 'by ship?');
  typed = 'by train?';
  await drafts.change('bergen', () => void (shown = 'bergen'));
  expect(typed).toBe('by ship?');
  await drafts.change('oslo', () => void (shown = 'oslo'));
  expect(typed).toBe('by train?');
  await expect(drafts.change('gone', () => Promise.reject(new Error('gone')))).rejects.toThrow();
  expect(typed).toBe('by train?');
  await drafts.keep();
  expect(kept.get('oslo')).toBe('by train?');
});
