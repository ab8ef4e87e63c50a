import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BareItem, OpenGate, QueuedTurn, ThreadItem, TurnEvent } from './api.ts';
import { tokensWritten } from './count-tokens.ts';
import { findRunningTurn, findStoppable, waitsFor } from './running-turn.ts';
import { firstAfterClean, hasReadOthers } from './text-by-others.ts';
import {
  EMPTY_THREAD,
  positionOf,
  type ThreadState,
  withItems,
  withMessage,
  withoutGate,
  withQueue,
  withVouched,
} from './thread-state.ts';
import type { TurnEventMessage } from './turn-entries.ts';

const AT = '2026-03-01T12:00:00.000Z';
const SPENT = { input_tokens: 1, cached_tokens: 0, output_tokens: 2, reasoning_tokens: 0, cost_usd: '0.01' };

const message = (id: string, role: 'user' | 'assistant', text: string): Extract<BareItem, { type: 'message' }> => ({
  id,
  type: 'message',
  role,
  content: text ? [{ type: 'text', text }] : [],
  status: 'completed',
});
const stored = (item: BareItem, position: number, attempt: number | null = 0): ThreadItem =>
  ({ ...item, turn_id: 't1', turn_seq: 1, position, attempt, usage: null, created_at: AT }) as ThreadItem;
const numbered = (sequence: number, event: TurnEvent): TurnEventMessage => ({
  type: 'turn-event',
  thread_id: 'x',
  turn_id: 't1',
  sequence,
  event,
});
const ended = (status: Extract<TurnEvent, { type: 'turn-ended' }>['status'], failure?: string): TurnEvent => ({
  type: 'turn-ended',
  status,
  failure: failure === undefined ? null : { code: 'x', message: failure },
  steered_by: null,
  usage: SPENT,
  ended_at: AT,
});

const QUESTION = stored(message('q', 'user', 'hi'), 0, null);
const ANSWER = stored(message('a', 'assistant', 'one two'), 1);
const EVENTS: readonly TurnEventMessage[] = [
  numbered(-1, { type: 'turn-started', seq: 1, channel: 'gateway', created_at: AT, items: [QUESTION] }),
  numbered(0, { type: 'item-added', item: message('a', 'assistant', '') }),
  numbered(1, { type: 'text-delta', item_id: 'a', delta: 'one ' }),
  numbered(2, { type: 'text-delta', item_id: 'a', delta: 'two' }),
  numbered(3, { type: 'item-done', item: message('a', 'assistant', 'one two'), written: true }),
  numbered(4, ended('completed')),
];

const apply = (events: readonly TurnEventMessage[], start: ThreadState = EMPTY_THREAD) =>
  events.reduce((state, event) => withMessage(state, event, 1000), start);
const texts = ({ turns }: ThreadState) =>
  turns.flatMap(({ entries }) => entries.map((entry) => (entry.kind === 'message' ? entry.text : entry.kind)));

test.each(EVENTS.map((_, seen) => [seen + 1]))(
  'a page that is ahead of the events keeps the order, after %i of them',
  (seen) => {
    const ahead = withItems(apply(EVENTS.slice(0, seen)), [QUESTION, ANSWER]);
    expect(texts(ahead)).toEqual(['hi', 'one two']);
    expect(texts(apply(EVENTS.slice(seen), ahead))).toEqual(['hi', 'one two']);
  },
);

test('a turn runs from its question to its answer', () => {
  expect(findRunningTurn(apply(EVENTS.slice(0, 3)))).toMatchObject({ id: 't1', status: 'running' });
  const state = apply(EVENTS);
  expect(texts(state)).toEqual(['hi', 'one two']);
  expect(findRunningTurn(state)).toBeUndefined();
  expect(positionOf(state)).toEqual({ turn_id: 't1', sequence: 4 });
});

test('the tokens of a turn are estimated from what the model has written so far', () => {
  const written = (seen: number) => apply(EVENTS.slice(0, seen)).turns.map(tokensWritten);
  expect(written(2)).toEqual([0]);
  expect(written(4)).toEqual([2]);
});

test('a turn that runs or waits for a person can be stopped', () => {
  expect(findStoppable(apply(EVENTS.slice(0, 3)))).toBe('t1');
  expect(findStoppable(apply(EVENTS))).toBeUndefined();
  const waitingAt = (kind: OpenGate['kind']) => ({ ...apply(EVENTS), gate: { turn_id: 't1', kind } as OpenGate });
  expect(findStoppable(waitingAt('approval'))).toBe('t1');
  expect(findStoppable(waitingAt('external-tool'))).toBeUndefined();
});

test('a call shows how far it is, as its tool says', () => {
  const call = {
    id: 'c',
    type: 'function_call',
    call_id: 'k',
    name: 'slow',
    arguments: '{}',
    external: false,
  } as const;
  const started = apply([...EVENTS.slice(0, 1), numbered(0, { type: 'item-added', item: call })]);
  const progress = (sequence: number, said: { progress: number; total: number | null; message: string | null }) =>
    numbered(sequence, { type: 'tool-progress', item_id: 'c', ...said });
  const shown = (state: ThreadState) => state.turns[0]?.entries.find(({ id }) => id === 'c');
  const half = apply([progress(1, { progress: 5, total: 10, message: 'reading' })], started);
  expect(shown(half)).toMatchObject({ progress: '50 % reading' });
  expect(shown(apply([progress(2, { progress: 7, total: null, message: null })], half))).toMatchObject({
    progress: '7',
  });
  expect(
    apply([numbered(1, { type: 'tool-progress', item_id: 'other', progress: 1, total: null, message: null })], started)
      .turns[0]?.entries,
  ).toEqual(started.turns[0]?.entries);
});

test('files of an output have their addresses once it is stored', () => {
  const output = (url: string | null) =>
    ({
      id: 'o',
      type: 'function_call_output',
      call_id: 'k',
      output: [{ type: 'image', media_type: 'image/png', bytes: 1, url }],
    }) as const;
  const added = apply([...EVENTS.slice(0, 1), numbered(0, { type: 'item-added', item: output(null) })]);
  const done = apply([numbered(1, { type: 'item-done', item: output('/parts/0'), written: true })], added);
  expect(added.outputs.get('k')?.parts).toMatchObject([{ url: null }]);
  expect(done.outputs.get('k')).toMatchObject({ parts: [{ url: '/parts/0' }], at: added.outputs.get('k')?.at });
});

test('events that are replayed after a reconnect change nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5))), (replays) => {
      let state = apply(EVENTS.slice(0, 3));
      for (const [from, length] of replays) state = apply(EVENTS.slice(from, Math.min(3, from + length)), state);
      expect(texts(state)).toEqual(['hi', 'one ']);
      expect(texts(apply(EVENTS, state))).toEqual(['hi', 'one two']);
    }),
  );
});

test('items that were loaded and then come as events appear once', () => {
  const loaded = withItems(EMPTY_THREAD, [QUESTION, ANSWER]);
  for (let known = 1; known <= EVENTS.length; known++)
    expect(texts(apply(EVENTS.slice(0, known), loaded))).toEqual(['hi', 'one two']);
});

test('a crash leaves a mark with the text that was cut off, and the answer once', () => {
  const state = apply([
    ...EVENTS.slice(0, 3),
    numbered(1_000_000, { type: 'item-done', item: message('a', 'assistant', 'one '), written: false }),
    numbered(1_000_001, { type: 'item-added', item: message('b', 'assistant', '') }),
    numbered(1_000_002, { type: 'text-delta', item_id: 'b', delta: 'one two' }),
    numbered(1_000_003, { type: 'item-done', item: message('b', 'assistant', 'one two'), written: true }),
    numbered(1_000_004, ended('completed')),
  ]);
  expect(texts(state)).toEqual(['hi', 'pick-up', 'one two']);
  expect(state.turns[0]?.entries[1]).toMatchObject({ kind: 'pick-up', superseded: ['one '] });
});

test('a turn that has waited for subagents leaves no mark, although it continues with its next attempt', () => {
  const call = {
    id: 'c',
    type: 'function_call',
    call_id: 'c',
    name: 'reborn_agent_run',
    arguments: '{}',
    external: false,
  } as const;
  const output = { id: 'o', type: 'function_call_output', call_id: 'c', output: [] } as const;
  const reported = [
    numbered(1_000_000, { type: 'item-added', item: output as unknown as BareItem }),
    numbered(1_000_001, { type: 'item-done', item: output as unknown as BareItem, written: true }),
    numbered(1_000_002, { type: 'item-added', item: message('b', 'assistant', '') }),
  ];
  const called = [...EVENTS.slice(0, 1), numbered(0, { type: 'item-added', item: call as unknown as BareItem })];
  expect(apply([...called, ...reported]).turns[0]?.entries.map(({ kind }) => kind)).toEqual([
    'message',
    'call',
    'message',
  ]);

  const items = [QUESTION, stored(call, 1), stored(message('b', 'assistant', 'two'), 3, 1)];
  expect(withItems(EMPTY_THREAD, items).turns[0]?.entries.map(({ kind }) => kind)).toEqual([
    'message',
    'call',
    'message',
  ]);
});

test('a failed model is reported until the next event', () => {
  const failed: TurnEvent = { type: 'model-failed', model: 'm', message: 'No.', next: 'n', wait_ms: 50, failed_at: AT };
  const waiting = apply([numbered(0, failed)], apply(EVENTS.slice(0, 1)));
  expect(findRunningTurn(waiting)?.trouble).toEqual({
    failure: { code: 'model_error', message: 'No.' },
    next: 'n',
    tries: undefined,
    dueAt: 1050,
  });
  const next = numbered(1, { type: 'item-added', item: message('a', 'assistant', '') });
  expect(findRunningTurn(apply([next], waiting))?.trouble).toBeUndefined();
});

test.each(['failed', 'cancelled', 'waiting', 'incomplete'] as const)('a turn that ends as %s says so', (status) => {
  const state = apply([...EVENTS.slice(0, 3), numbered(3, ended(status, 'Why.'))]);
  expect(state.turns[0]).toMatchObject({ status, failure: { message: 'Why.' } });
  expect(state.turns[0]?.entries[1]).toMatchObject({ state: 'incomplete' });
});

test('a call has its output and how long it took', () => {
  const call: BareItem = {
    id: 'c',
    type: 'function_call',
    call_id: 'k',
    name: 'weather',
    arguments: '{}',
    external: false,
  };
  const output: BareItem = {
    id: 'o',
    type: 'function_call_output',
    call_id: 'k',
    output: [{ type: 'text', text: 'sun' }],
  };
  const started = withMessage(EMPTY_THREAD, numbered(0, { type: 'item-added', item: call }), 1000);
  const done = withMessage(started, numbered(1, { type: 'item-done', item: output, written: true }), 1800);
  expect(done.turns[0]?.entries).toMatchObject([{ kind: 'call', startedAt: 1000 }]);
  expect(done.outputs.get('k')).toMatchObject({ parts: [{ text: 'sun' }], at: 1800 });
});

test('other events in the thread do not hide an open gate', () => {
  const call = { call_id: 'k', name: 'erase', arguments: '{}' };
  const gate: OpenGate = {
    id: 'g',
    user_id: 'u',
    thread_id: 'x',
    turn_id: 't1',
    kind: 'approval',
    call,
    created_at: AT,
    calls: [],
    situation: 'clean',
    because: [],
    address: null,
    mission_id: null,
  };
  const told = { type: 'gate', thread_id: 'x' } as const;
  const waiting = withMessage(apply(EVENTS), { ...told, gate }, 0);
  expect(waiting.gate).toBe(gate);
  expect(withoutGate(waiting, 'g').gate).toBeUndefined();
  expect(withoutGate(waiting, 'the one before').gate).toBe(gate); // it opened before that answer was confirmed
  const next: TurnEvent = { type: 'turn-started', seq: 2, channel: 'gateway', created_at: AT, items: [] };
  const refused = withMessage(waiting, { ...numbered(-1, next), turn_id: 't2' }, 0);
  expect(withMessage(refused, { ...numbered(0, ended('failed')), turn_id: 't2' }, 0).gate).toBe(gate);
  expect(withMessage(waiting, { ...told, gate: null }, 0).gate).toBeUndefined();
});

test('a queued turn joins the turns of the thread when it starts, and the subscription does not begin with it', () => {
  const item = { ...stored(message('later', 'user', 'wait'), 0, null), turn_id: 't2', turn_seq: 2 };
  const placed = { type: 'queued', ahead: 1 } as const;
  const queued: QueuedTurn = { turn_id: 't2', seq: 2, channel: 'gateway', created_at: AT, placed, items: [item] };
  const running = apply(EVENTS.slice(0, 3));

  const waiting = withQueue(withItems(running, [item]), [queued]);
  expect(waiting.queued).toEqual([queued]);
  expect(findRunningTurn(waiting)?.id).toBe('t1');
  expect(positionOf(waiting)).toEqual({ turn_id: 't1', sequence: 1 });
  expect(texts(withItems(waiting, [item]))).toEqual(texts(running));

  const start: TurnEvent = { type: 'turn-started', seq: 2, channel: 'gateway', created_at: AT, items: [item] };
  const started = withMessage(waiting, { ...numbered(-1, start), turn_id: 't2' }, 1000);
  expect(started.queued).toEqual([]);
  expect(texts(started)).toContain('wait');
  expect(withQueue(started, [queued]).queued).toEqual([]);
});

test('a waiting message says what it waits for, and the turn that it ended is known as steered', () => {
  const running = apply(EVENTS.slice(0, 3));
  expect(waitsFor(running, { placed: { type: 'steering' } })).toBe('step');
  expect(waitsFor(running, { placed: { type: 'queued', ahead: 2 } })).toBe('turn');
  expect(waitsFor(running, {})).toBe('turn');
  const gate = { kind: 'approval' } as NonNullable<ThreadState['gate']>;
  expect(waitsFor({ gate }, { placed: { type: 'waits', gate: 'approval' } })).toBe('answer');

  const end = { ...(ended('incomplete') as object), steered_by: 't2' } as TurnEvent;
  const [turn] = withMessage(running, numbered(9, end), 0).turns;
  expect(turn).toMatchObject({ status: 'incomplete', isSteered: true });
});

test('a thread has read text by others until the person has trusted each of them', () => {
  const forwarded = { ...message('f', 'user', ''), content: [{ type: 'text', text: 'hi', origin: 'others' }] } as const;
  const own = { ...message('o', 'user', ''), content: [{ ...FILE, origin: 'own' }] } as const;
  const output = {
    id: 'r',
    type: 'function_call_output',
    call_id: 'k',
    output: [],
    reads: { foreign: true, private: false },
  } as const;
  const read = (...items: BareItem[]) =>
    withItems(
      EMPTY_THREAD,
      items.map((item, position) => stored(item, position)),
    );
  expect(hasReadOthers(read(message('q', 'user', 'hi'), own))).toBe(false);
  expect(hasReadOthers(read({ ...own, content: [FILE] }))).toBe(true);
  const state = read(forwarded, output);
  expect(hasReadOthers(state)).toBe(true);
  expect(hasReadOthers(withVouched(state, 'f'))).toBe(true);
  expect(firstAfterClean(read(message('q', 'user', 'hi')))).toBeUndefined();
  expect(firstAfterClean(state)).toBe('f');
  expect(firstAfterClean(withVouched(state, 'f'))).toBeUndefined(); // the call of the output is not loaded
  expect(hasReadOthers(withVouched(withVouched(state, 'f'), 'r'))).toBe(false);
});

const FILE = { type: 'file', filename: 'a.txt', media_type: 'text/plain', bytes: 1, url: null } as const;

test('an answered gate of a subagent is gone, and the subagent works on', () => {
  const asking = { call: 'c', state: 'waiting', gate: { id: 'g' } } as ThreadState['subagents'][number];
  const waiting = { ...EMPTY_THREAD, subagents: [asking] };
  expect(withoutGate(waiting, 'g').subagents).toMatchObject([{ call: 'c', state: 'active', gate: null }]);
  expect(withoutGate(waiting, 'another')).toBe(waiting);
});
