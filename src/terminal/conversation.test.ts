import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Conversation,
  emptyConversation,
  findOpenGate,
  withAnswer,
  withEvent,
  withGate,
  withItems,
} from './conversation.ts';
import type { NumberedTurnEvent, WireItem, WireTurnEvent } from './service/gateway-messages.ts';

const TURN = 'turn-1';
const numbered = (sequence: number, event: WireTurnEvent): NumberedTurnEvent => ({
  thread_id: 'thread',
  turn_id: TURN,
  sequence,
  event,
});
const message = (id: string, role: 'user' | 'assistant', text: string): WireItem => ({
  id,
  type: 'message',
  role,
  content: text ? [{ type: 'text', text }] : [],
  status: 'completed',
});
const USAGE = { input_tokens: 1, output_tokens: 2, cost_usd: '0.01' };
const ended = (status: string, failure: string | null = null): WireTurnEvent => ({
  type: 'turn-ended',
  status,
  failure: failure === null ? null : { code: 'x', message: failure },
  usage: USAGE,
});

const TOLD: readonly NumberedTurnEvent[] = [
  numbered(-1, { type: 'turn-started', items: [message('q', 'user', 'hi')] }),
  numbered(0, { type: 'item-added', item: message('a', 'assistant', '') }),
  numbered(1, { type: 'text-delta', item_id: 'a', delta: 'one ' }),
  numbered(2, { type: 'text-delta', item_id: 'a', delta: 'two' }),
  numbered(3, { type: 'item-done', item: message('a', 'assistant', 'one two'), written: true }),
  numbered(4, ended('completed')),
];

const tell = (events: readonly NumberedTurnEvent[], start: Conversation = emptyConversation('thread')) =>
  events.reduce((soFar, event) => withEvent(soFar, event, 0), start);
const texts = ({ entries }: Conversation) => entries.map((entry) => ('text' in entry ? entry.text : entry.kind));

test('a model that failed is shown until the next thing happens', () => {
  const failed = (next: string): WireTurnEvent => ({ type: 'model-failed', model: 'm', message: 'No.', next });
  const begun = tell(TOLD.slice(0, 1));
  const waiting = tell([numbered(0, failed('m'))], begun);
  expect(waiting).toMatchObject({ running: TURN, trouble: 'the model failed, asking again' });
  expect(tell([numbered(0, failed('spare'))], begun).trouble).toBe('the model failed, asking spare');
  expect(tell([numbered(1, { type: 'item-added', item: message('a', 'assistant', '') })], waiting).trouble).toBe(
    undefined,
  );
});

test('a turn is told from its question to its answer', () => {
  const told = tell(TOLD);
  expect(texts(told)).toEqual(['hi', 'one two']);
  expect(told).toMatchObject({ running: undefined, usage: USAGE, last: { turnId: TURN, sequence: 4 } });
});

test('events that come again, from wherever a reconnect goes on, change nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5))), (replays) => {
      let conversation = tell(TOLD.slice(0, 3));
      for (const [from, length] of replays)
        conversation = tell(TOLD.slice(from, Math.min(3, from + length)), conversation);
      expect(texts(conversation)).toEqual(['hi', 'one ']);
      const done = tell(TOLD, conversation);
      expect(texts(done)).toEqual(['hi', 'one two']);
      expect(tell(TOLD, done).usage).toEqual(USAGE);
    }),
  );
});

test('a thread that was loaded and is then told of again stands there once', () => {
  const loaded = withItems(emptyConversation('thread'), [
    message('q', 'user', 'hi'),
    message('a', 'assistant', 'one two'),
  ]);
  for (let known = 1; known <= TOLD.length; known++)
    expect(texts(tell(TOLD.slice(0, known), loaded))).toEqual(['hi', 'one two']);
});

describe('a crash in mid-sentence', () => {
  const crashed = [
    ...TOLD.slice(0, 3),
    numbered(1_000_000, { type: 'item-done', item: message('a', 'assistant', 'one '), written: false }),
    numbered(1_000_001, { type: 'item-added', item: message('b', 'assistant', '') }),
    numbered(1_000_002, { type: 'text-delta', item_id: 'b', delta: 'one two' }),
    numbered(1_000_003, { type: 'item-done', item: message('b', 'assistant', 'one two'), written: true }),
    numbered(1_000_004, ended('completed')),
  ];

  test('leaves a mark where it was, and the answer once', () => {
    const said = tell(crashed).entries.filter((entry) => entry.kind === 'said');
    expect(said.map(({ state, text }) => [state, text])).toEqual([
      ['done', 'hi'],
      ['superseded', 'one '],
      ['done', 'one two'],
    ]);
  });
});

test('a call has its result and how long it took', () => {
  const call: WireItem = { id: 'c', type: 'function_call', call_id: 'call', name: 'weather', arguments: '{}' };
  const output: WireItem = {
    id: 'o',
    type: 'function_call_output',
    call_id: 'call',
    output: [{ type: 'text', text: 'sun' }],
  };
  const begun = withEvent(emptyConversation('thread'), numbered(0, { type: 'item-added', item: call }), 1000);
  const done = withEvent(begun, numbered(1, { type: 'item-done', item: output, written: true }), 1800);
  expect(done.entries).toMatchObject([{ kind: 'tool', output: 'sun', began: 1000, ended: 1800 }]);
});

test('what went wrong is said, and costs that are not known stay unknown', () => {
  const failed = tell([...TOLD.slice(0, 2), numbered(2, ended('failed', 'The model broke off.'))]);
  expect(texts(failed).at(-1)).toBe('The model broke off.');
  const unpriced = withEvent(
    emptyConversation('thread', { ...USAGE, cost_usd: null }),
    numbered(0, ended('completed')),
    0,
  );
  expect(unpriced.usage.cost_usd).toBeNull();
});

test('a gate is open until it is answered, and comes up once', () => {
  const gate = {
    id: 'g',
    thread_id: 'thread',
    kind: 'approval',
    call: { call_id: 'c', name: 'x', arguments: '{}' },
  } as const;
  const waiting = withGate(withGate(emptyConversation('thread'), gate), gate);
  expect(waiting.entries).toHaveLength(1);
  expect(findOpenGate(waiting)).toBe(gate);
  expect(findOpenGate(withAnswer(waiting, 'g', 'approved'))).toBeUndefined();
});
