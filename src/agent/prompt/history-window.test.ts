import { expect, test } from 'vitest';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import { type Item, type ItemBody, text } from '#domain/thread/item.ts';
import type { Reads } from '#domain/thread/origin.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { NO_USAGE, type Usage } from '#domain/usage.ts';
import { NO_IDENTITY } from '#memory/identity.ts';
import { type Model, ModelFailure, type Prompt } from '#models/model.ts';
import { createMeter } from '../spending/budget-meter.ts';
import { createHistoryWindow } from './history-window.ts';

const WINDOW = 8000;
const PROMPT = 7000;
const isForSummary = (prompt: Prompt) => prompt.system.startsWith('You write the summary');
const bytesOf = (prompt: Prompt) => JSON.stringify(prompt.messages).length;

/** A model that answers with `say`, and an attempt of turn 2 that asks it. */
function createAttempt(
  say: (prompt: Prompt) => string = () => 'fine',
  summary: Summary | null = null,
  reads: Reads = {},
  isAsked = false,
) {
  const asked: Prompt[] = [];
  const written: Summary[] = [];
  const model: Model = {
    provider: 'demo',
    name: 'm',
    contextSize: { windowTokens: WINDOW, promptTokens: PROMPT },
    async ask(prompt) {
      asked.push(prompt);
      return { text: say(prompt), calls: [], finish: 'stop', usage: { ...NO_USAGE, inputTokens: 100 } };
    },
  };
  const turn = { seq: 2, request: { tools: [], temperature: null } } as unknown as Turn;
  const { signal } = new AbortController();
  const limits = { tokensPerDay: null, usdPerDay: null };
  const meter = createMeter({ limits, spent: async () => ({ tokens: 0, usd: 0 }), signal });
  const writeSummary = async (made: Summary) => void written.push(made);
  const window = createHistoryWindow({
    turn,
    summary,
    isAsked,
    writeSummary,
    meter,
    load: async (prompt) => prompt as Prompt,
    readsOf: async (_items, before) => ({ ...before?.reads, ...reads }),
  });
  const ask = (history: readonly Item[]) =>
    window.ask(
      model,
      history,
      { tools: [], identity: NO_IDENTITY, instructions: [], skills: [], sourceOf: () => undefined },
      () => {},
    );
  return { ask, asked, written, meter, window };
}

/** Turn 1, and turn 2 up to now. */
function threadOf(earlier: ItemBody[], request: string, made: ItemBody[], usage: Usage | null = null): Item[] {
  const place = (turnSeq: number, isInput: (index: number) => boolean) => (body: ItemBody, position: number) => ({
    ...body,
    id: `${turnSeq}:${position}` as ItemId,
    threadId: 't' as ThreadId,
    turnId: 'u' as TurnId,
    turnSeq,
    position,
    attempt: isInput(position) ? null : 0,
    usage: isInput(position) ? null : usage,
    startedAt: null,
  });
  return [...earlier.map(place(1, () => false)), ...[user(request), ...made].map(place(2, (index) => index === 0))];
}

const say = (role: 'user' | 'assistant', value: string): ItemBody => ({
  type: 'message',
  role,
  content: [text(value)],
  status: 'completed',
});
const user = (value: string) => say('user', value);
const round = (index: number, size: number): ItemBody[] => [
  { type: 'function_call', callId: `call_${index}`, name: 'look', arguments: '{}', external: false },
  { type: 'function_call_output', callId: `call_${index}`, output: [text(`${index}:`.padEnd(size, 'x'))] },
];
const rounds = (count: number, size: number) => Array.from({ length: count }, (_, index) => round(index, size)).flat();

test('a short thread is sent in full', async () => {
  const { ask, asked, written } = createAttempt();
  await ask(threadOf([user('before'), say('assistant', 'yes')], 'now', []));

  expect(asked).toHaveLength(1);
  expect(asked[0]?.messages).toHaveLength(3);
  expect(written).toEqual([]);
});

test('a long turn is summarised while it runs, but its request stays', async () => {
  const { ask, asked, written } = createAttempt();
  const history = threadOf([user('before')], 'find the needle', rounds(40, 700));
  await ask(history);

  const last = asked.at(-1);
  expect(asked.slice(0, -1).every(isForSummary)).toBe(true);
  expect(written.at(-1)).toMatchObject({ throughSeq: 2, turnSeq: 2, text: 'fine' });
  expect(JSON.stringify(last)).toContain('find the needle');
  expect(bytesOf(last as Prompt) / 4).toBeLessThan(0.5 * PROMPT);
  const calls = last?.messages.flatMap((message) => (message.role === 'assistant' ? message.calls : [])) ?? [];
  expect(calls.at(-1)?.callId).toBe('call_39');
  expect(calls.length).toBe(last?.messages.filter(({ role }) => role === 'tool').length);
  expect(JSON.stringify(last)).not.toContain('No result was recorded');

  await ask(history); // it remembers
  expect(asked.at(-1)).toEqual(last);
});

test('a summary keeps what was read, and so do those that take it in', async () => {
  const history = threadOf([user('before')], 'find the needle', rounds(40, 700));
  const first = createAttempt(undefined, null, { foreign: true });
  await first.ask(history);
  expect(first.written.at(-1)?.reads).toEqual({ foreign: true });

  const earlier = { throughSeq: 1, throughPosition: 0, turnSeq: 1, text: 'They talked.', reads: { private: true } };
  const second = createAttempt(undefined, earlier);
  await second.ask(history);
  expect(second.written.at(-1)?.reads).toEqual({ private: true });
});

test('a summary that was asked for takes in all that was said before, once, in a short thread too', async () => {
  const { ask, asked, written } = createAttempt(undefined, null, {}, true);
  const history = threadOf([user('before'), say('assistant', 'yes')], 'now', []);
  await ask(history);
  expect(written).toMatchObject([{ throughSeq: 1, throughPosition: 1, text: 'fine' }]);
  const [, last] = asked;
  expect(JSON.stringify(last)).toContain('now');
  expect(JSON.stringify(last)).not.toContain('before');

  await ask(history);
  expect(written).toHaveLength(1);
  expect(asked.at(-1)).toEqual(last);
});

test('a message is answered although the model refuses the summary that was asked for', async () => {
  const { ask, asked, written } = createAttempt((prompt) => (isForSummary(prompt) ? '' : 'fine'), null, {}, true);
  const history = threadOf([user('before'), say('assistant', 'yes')], 'now', []);
  expect(await ask(history)).toMatchObject({ answer: { text: 'fine' } });
  expect(written).toEqual([]);
  expect(JSON.stringify(asked.at(-1))).toContain('before');

  await ask(history);
  expect(asked.filter(isForSummary)).toHaveLength(1);
});

test('a long request alone does not cause a summary of the few items before it', async () => {
  const { ask, asked } = createAttempt();
  await ask(threadOf([user('before'), say('assistant', 'yes')], 'x'.repeat(0.9 * PROMPT * 4), []));

  expect(asked).toHaveLength(1);
});

test('what is too much for one summary is summarised step by step, each taking in the one before', async () => {
  const { ask, asked, written } = createAttempt((prompt) => `summary ${bytesOf(prompt)}`);
  await ask(threadOf(rounds(100, 1000), 'and now?', []));

  expect(written.length).toBeGreaterThan(5);
  for (const prompt of asked) expect(bytesOf(prompt) / 4).toBeLessThan(PROMPT);
  asked.slice(1).forEach((prompt, index) => expect(JSON.stringify(prompt)).toContain(written[index]?.text));
  const places = written.map(({ throughPosition }) => throughPosition);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('many calls of one answer, too long together, are still summarised within the window', async () => {
  const calls = Array.from({ length: 40 }, (_, index) => round(index, 4000));
  const group = [...calls.flatMap(([call]) => call ?? []), ...calls.flatMap(([, output]) => output ?? [])];
  const { ask, asked } = createAttempt();
  await ask(threadOf([user('look everywhere'), ...group], 'and now?', []));

  for (const prompt of asked) expect(bytesOf(prompt) / 4).toBeLessThan(WINDOW);
});

test('a model that counts more tokens than we do is believed', async () => {
  const thread = (inputTokens: number) =>
    threadOf([user('x'.repeat(9000)), say('assistant', 'yes')], 'now', [], { ...NO_USAGE, inputTokens }).map((item) =>
      item.id === '1:1' ? item : { ...item, usage: null },
    );
  const [plain, dense] = [createAttempt(), createAttempt()];
  await plain.ask(thread(2400));
  await dense.ask(thread(6500));

  expect(plain.written).toHaveLength(0);
  expect(dense.written).toHaveLength(1);
});

test('a summary is bounded, holds no character that the database refuses, and must say something', async () => {
  const wordy = createAttempt((prompt) => (isForSummary(prompt) ? `a\u0000b${'c'.repeat(1e6)}` : 'fine'));
  await wordy.ask(threadOf(rounds(30, 1000), 'now', []));
  expect(wordy.written[0]?.text.length).toBeLessThanOrEqual(0.1 * PROMPT * 4);
  expect(wordy.written[0]?.text).toMatch(/^abc.*…$/);

  const silent = createAttempt(() => ' ');
  await expect(silent.ask(threadOf(rounds(30, 1000), 'now', []))).rejects.toThrow(/summarise/);
  expect(silent.meter.failedCalls()).toMatchObject([{ failed: true, usage: { inputTokens: 100 } }]);
});

test('a refusal as too long is answered by a shorter prompt, once', async () => {
  const refuse = (most: number) => (prompt: Prompt) => {
    if (bytesOf(prompt) > most) throw new ModelFailure('model_error', 'too long', { tooLong: true });
    return 'fine';
  };
  const history = threadOf(rounds(20, 700), 'now', []);

  const smaller = createAttempt(refuse(12_000));
  expect(await smaller.ask(history)).toMatchObject({ answer: { text: 'fine' } });
  expect(smaller.asked.filter((prompt) => !isForSummary(prompt))).toHaveLength(2);
  expect(smaller.meter.failedCalls()).toHaveLength(1);

  const tiny = createAttempt(refuse(500));
  await expect(tiny.ask(history)).rejects.toThrow('too long');
  expect(tiny.asked.length).toBeLessThan(4);
});

test('a refusal of what can not be made shorter says how long it was', async () => {
  const { ask, asked } = createAttempt(() => {
    throw new ModelFailure('model_error', 'too long', { tooLong: true });
  });
  await expect(ask(threadOf([], 'x'.repeat(8000), []))).rejects.toThrow(
    /^About 2\d\d\d tokens are more than .* Send less/,
  );
  expect(asked).toHaveLength(1);
});
