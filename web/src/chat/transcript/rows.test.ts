import type { ItemPart, ServerMessage, ThreadItem } from '@reborn-agent/client/api';
import { withPage } from '@reborn-agent/client/thread-page';
import { EMPTY_THREAD, positionOf, type ThreadState, withItems, withMessage } from '@reborn-agent/client/thread-state';
import { expect, test } from 'vitest';
import { findRow, rowsOf } from './rows.ts';

type TurnEventMessage = Extract<ServerMessage, { type: 'turn-event' }>;

type TurnEvent = TurnEventMessage['event'];

const place = { turn_id: 't1', turn_seq: 1, attempt: 0, usage: null, created_at: '2026-03-01T12:00:00.000Z' };
const asked: ThreadItem = { ...place, ...message('u1', 'user', 'count'), position: 0, attempt: null };
const answered: ThreadItem = { ...place, ...message('a1', 'assistant', '0 1 2'), position: 1 };

function message(id: string, role: 'user' | 'assistant', text: string) {
  const content: ItemPart[] = text ? [{ type: 'text', text }] : [];
  return { id, type: 'message' as const, role, content, status: 'completed' as const };
}

const STREAM: [number, TurnEvent][] = [
  [-1, { type: 'turn-started', seq: 1, channel: 'gateway', created_at: place.created_at, items: [asked] }],
  [0, { type: 'item-added', item: message('a1', 'assistant', '') }],
  [1, { type: 'text-delta', item_id: 'a1', delta: '0 1' }],
  [2, { type: 'text-delta', item_id: 'a1', delta: ' 2' }],
  [3, { type: 'item-done', item: message('a1', 'assistant', '0 1 2'), written: true }],
];

function apply(state: ThreadState, events: readonly [number, TurnEvent][], turn = 't1'): ThreadState {
  return events.reduce(
    (known, [sequence, event]) =>
      withMessage(known, { type: 'turn-event', thread_id: 'x', turn_id: turn, sequence, event }, 1000),
    state,
  );
}

const shown = (state: ThreadState) =>
  rowsOf(state).flatMap((row) => (row.kind === 'user' || row.kind === 'answer' ? [row.entry.text] : []));

test('a turn that waits for a free place says so until it has one', () => {
  const started = apply(EMPTY_THREAD, STREAM.slice(0, 1));
  const thread = { waits_for_place: true } as ThreadState['thread'];
  expect(rowsOf({ ...started, thread }).at(-1)).toMatchObject({ kind: 'working', waits: true });
  expect(rowsOf(started).at(-1)).toMatchObject({ kind: 'working', waits: false });
});

test('a turn whose model failed says when it is asked again, until it speaks', () => {
  const failed = { type: 'model-failed', model: 'm', message: 'Too many calls.', wait_ms: 500 } as const;
  const failed_at = place.created_at;
  const [started, ...rest] = STREAM;
  const begun = apply(EMPTY_THREAD, started ? [started] : []);
  const waiting = apply(begun, [[0, { ...failed, next: 'm', failed_at }]]);
  expect(rowsOf(waiting).at(-1)).toMatchObject({
    kind: 'working',
    turn: { trouble: { failure: { message: 'Too many calls.' }, next: undefined, dueAt: 1500 } },
  });
  expect(apply(begun, [[0, { ...failed, next: 'spare', failed_at }]]).turns[0]?.trouble?.next).toBe('spare');
  const spoke = apply(
    waiting,
    rest.map(([sequence, event]) => [sequence + 1, event]),
  );
  expect(spoke.turns[0]?.trouble).toBeUndefined();
});

test('events that come again change nothing', () => {
  const once = apply(EMPTY_THREAD, STREAM);
  expect(shown(once)).toEqual(['count', '0 1 2']);
  expect(apply(once, STREAM)).toBe(once);
});

test('a stored turn that is replayed from its start shows nothing twice', () => {
  const stored = withItems(EMPTY_THREAD, [asked, answered]);
  for (const length of STREAM.keys()) expect(shown(apply(stored, STREAM.slice(0, length)))).toEqual(['count', '0 1 2']);
  expect(shown(apply(stored, STREAM))).toEqual(['count', '0 1 2']);
});

test('a page of a running turn joins with its events in any order', () => {
  const half = STREAM.slice(0, 3);
  expect(shown(withItems(apply(EMPTY_THREAD, half), [asked]))).toEqual(['count', '0 1']);
  expect(shown(apply(withItems(EMPTY_THREAD, [asked]), half))).toEqual(['count', '0 1']);
});

test('a subscription continues after the newest event of the newest turn', () => {
  expect(positionOf(EMPTY_THREAD)).toBeUndefined();
  expect(positionOf(withItems(EMPTY_THREAD, [asked]))).toEqual({ turn_id: 't1' });
  expect(positionOf(apply(EMPTY_THREAD, STREAM))).toEqual({ turn_id: 't1', sequence: 3 });
});

test('text that a crash cut off is folded under the line that reports the crash', () => {
  const crashed = apply(EMPTY_THREAD, STREAM.slice(0, 3));
  const again: [number, TurnEvent][] = [
    [1_000_000, { type: 'item-done', item: message('a1', 'assistant', '0 1'), written: false }],
    [1_000_001, { type: 'item-added', item: message('a2', 'assistant', '') }],
    [1_000_002, { type: 'text-delta', item_id: 'a2', delta: '0 1 2' }],
  ];
  const state = again.reduce(
    (known, [sequence, event]) =>
      withMessage(known, { type: 'turn-event', thread_id: 'x', turn_id: 't1', sequence, event }, 1400),
    crashed,
  );
  expect(shown(state)).toEqual(['count', '0 1 2']);
  const line = rowsOf(state).find((row) => row.kind === 'pick-up');
  expect(line).toMatchObject({ entry: { gapMs: 400, superseded: ['0 1'] } });
});

test('stored items of two attempts have the line between them', () => {
  const later: ThreadItem = { ...place, ...message('a2', 'assistant', 'more'), position: 2, attempt: 1 };
  const state = withItems(EMPTY_THREAD, [asked, answered, later]);
  expect(rowsOf(state, new Date(place.created_at)).map(({ kind }) => kind)).toEqual([
    'user',
    'answer',
    'pick-up',
    'answer',
  ]);
});

test('a call that waited at a gate gets its output from the next turn', () => {
  const call: ThreadItem = {
    ...place,
    id: 'c1',
    type: 'function_call',
    call_id: 'call',
    name: 'send',
    arguments: '{}',
    external: false,
    position: 1,
    started_at: null,
    ended_at: null,
  };
  const waiting = withItems(EMPTY_THREAD, [asked, call]);
  const parts: ItemPart[] = [{ type: 'text', text: 'sent' }];
  const output = { id: 'o1', type: 'function_call_output' as const, call_id: 'call', output: parts };
  const state = apply(waiting, [[0, { type: 'item-added', item: output }]], 't2');
  const steps = rowsOf(state).find((row) => row.kind === 'steps');
  expect(steps).toMatchObject({ steps: [{ output: { parts: [{ text: 'sent' }] } }] });
});

test('a version of the files leads to the step that made it, or to the message', () => {
  const fields = { type: 'function_call', name: 'write', arguments: '{}', external: false } as const;
  const times = { started_at: null, ended_at: null };
  const call: ThreadItem = { ...place, ...fields, ...times, id: 'c1', call_id: 'call', position: 1 };
  const parts: ItemPart[] = [{ type: 'text', text: 'Written.\nfiles: ~a.txt; version 12' }];
  const output = { id: 'o1', type: 'function_call_output' as const, call_id: 'call', output: parts };
  const rows = rowsOf(apply(withItems(EMPTY_THREAD, [asked, call]), [[0, { type: 'item-added', item: output }]]));
  const version = { cause: 'call', turn_id: 't1', created_at: place.created_at, changes: [] } as const;
  expect(findRow(rows, { ...version, version: 12 })).toBe('c1');
  expect(findRow(rows, { ...version, version: 2 })).toBe('u1');
  expect(findRow(rows, { ...version, version: 2, turn_id: null })).toBeUndefined();
});

test('an older page goes before what is known, also when it ends in mid-turn', () => {
  const newer = withItems(EMPTY_THREAD, [answered]);
  const first: ThreadItem = { ...place, ...message('u0', 'user', 'before'), turn_id: 't0', turn_seq: 0, position: 0 };
  expect(shown(withItems(newer, [first, asked]))).toEqual(['before', 'count', '0 1 2']);
});

test('a turn that failed says why, and offers what was asked', () => {
  const failure = { code: 'model_error', message: 'The model is away.' };
  const usage = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, reasoning_tokens: 0, cost_usd: null };
  const state = apply(EMPTY_THREAD, [
    ...STREAM.slice(0, 1),
    [0, { type: 'turn-ended', status: 'failed', failure, steered_by: null, usage, ended_at: place.created_at }],
  ]);
  expect(rowsOf(state).at(-1)).toMatchObject({ kind: 'failure', failure, asked: 'u1' });
});

test('a message that was refused at a gate can be sent again', () => {
  const page = { items: [asked], line: 0, versions: [], refused: ['t1'], steered: [], next_before: null };
  expect(rowsOf(withPage(EMPTY_THREAD, page)).at(-1)).toMatchObject({ kind: 'unread', text: 'count' });
});

test('a turn that a message has steered says so where it stops, unless it has said nothing', () => {
  const page = { items: [asked, answered], line: 0, versions: [], refused: [], steered: ['t1'], next_before: null };
  expect(rowsOf(withPage(EMPTY_THREAD, page)).at(-1)?.kind).toBe('steered');
  expect(rowsOf(withPage(EMPTY_THREAD, { ...page, items: [asked] })).at(-1)?.kind).toBe('user');
});

test('each speaker is named in a thread where an assistant has answered', () => {
  const page = { items: [asked, answered], line: 0, versions: [], refused: [], steered: [], next_before: null };
  const voices = (state: ThreadState) => rowsOf(state).flatMap((row) => (row.kind === 'answer' ? [row.by] : []));
  const usual = withPage(EMPTY_THREAD, page);
  expect(voices(usual)).toEqual([undefined]);
  const by = { assistants: [{ turn_id: 't1', name: 'research' }] };
  expect(voices(withPage(EMPTY_THREAD, { ...page, ...by }))).toEqual(['research']);

  const started = { seq: 2, channel: 'gateway', created_at: place.created_at, assistant: 'research', items: [] };
  const later = apply(usual, [[-1, { type: 'turn-started', ...started }]], 't2');
  expect(voices(later)).toEqual(['Reborn']);
  expect(rowsOf(later).at(-1)).toMatchObject({ kind: 'working', by: 'research' });
});

test('a queued message says whether it waits for an answer of the person', () => {
  const placed = { type: 'queued', ahead: 1 } as const;
  const queued = { turn_id: 't2', seq: 2, channel: 'gateway', created_at: place.created_at, placed, items: [] };
  const call = { call_id: 'k', name: 'send', arguments: '{}' };
  const facts = { calls: [{ ...call, address: null }], situation: 'clean', because: [], address: null } as const;
  const ids = { id: 'g', user_id: 'u', thread_id: 'x', turn_id: 't1', mission_id: null };
  const gate = { ...ids, call, ...facts, created_at: place.created_at };
  const waiting = { ...EMPTY_THREAD, queued: [queued] };
  const atGate = (state: ThreadState) => rowsOf(state).find((row) => row.kind === 'queued')?.atGate;
  expect(atGate(waiting)).toBe(false);
  expect(atGate({ ...waiting, gate: { ...gate, kind: 'approval' } })).toBe(true);
  expect(atGate({ ...waiting, gate: { ...gate, kind: 'external-tool' } })).toBe(false);
});

test('a day is named where another one begins, and not when everything was said today', () => {
  const first: ThreadItem = { ...asked, created_at: new Date(2026, 1, 28, 23, 58).toISOString() };
  const second: ThreadItem = { ...answered, created_at: new Date(2026, 2, 1, 0, 3).toISOString() };
  const days = (items: ThreadItem[], now: Date) =>
    rowsOf(withItems(EMPTY_THREAD, items), now).map((row) => (row.kind === 'day' ? row.words : row.kind));
  expect(days([first, second], new Date(2026, 2, 1, 9))).toEqual(['Yesterday', 'user', 'Today', 'answer']);
  expect(days([first], new Date(2026, 1, 28, 23, 59))).toEqual(['user']);
  const partly = rowsOf(withItems(EMPTY_THREAD, [first, second]), new Date(2026, 2, 1, 9), true);
  expect(partly.map(({ kind }) => kind)).toEqual(['user', 'day', 'answer']);
});

test('what a subagent waits for is asked below the call that has started it', () => {
  const call: ThreadItem = {
    ...place,
    id: 'c1',
    type: 'function_call',
    call_id: 'call_1',
    name: 'reborn_agent_run',
    arguments: '{"task":"ask"}',
    external: false,
    started_at: place.created_at,
    ended_at: null,
    position: 1,
  };
  const gate = { id: 'g', kind: 'approval' } as ThreadState['gate'];
  const child = {
    call: 'c1',
    thread_id: 'child',
    parent_id: 'x',
    state: 'waiting',
    gate,
  } as ThreadState['subagents'][0];
  const state = { ...withItems(EMPTY_THREAD, [asked, call]), subagents: [child] };
  const rows = rowsOf(state, new Date(place.created_at));
  expect(rows.map(({ kind }) => kind)).toEqual(['user', 'steps', 'gate']);
  expect(rows[1]).toMatchObject({ steps: [{ subagents: [{ thread_id: 'child', level: 0 }] }] });
  expect(rowsOf({ ...state, subagents: [] }, new Date(place.created_at)).map(({ kind }) => kind)).toEqual([
    'user',
    'steps',
  ]);
});

test('the last answer of a turn says how long the turn took, without the wait for the turn before, and what its calls cost', () => {
  const usage = (cost: string | null) => ({
    input_tokens: 5,
    cached_tokens: 0,
    output_tokens: 7,
    reasoning_tokens: 0,
    cost_usd: cost,
  });
  const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, seconds)).toISOString();
  const items = (cost: string | null): ThreadItem[] => [
    { ...asked, created_at: at(0) },
    { ...answered, created_at: at(10), usage: usage('0.01') },
    {
      ...place,
      ...message('u2', 'user', 'more'),
      turn_id: 't2',
      turn_seq: 2,
      position: 0,
      attempt: null,
      created_at: at(4),
    },
    {
      ...place,
      ...message('a2', 'assistant', 'wait'),
      turn_id: 't2',
      turn_seq: 2,
      position: 1,
      created_at: at(12),
      usage: usage(cost),
    },
    {
      ...place,
      ...message('a3', 'assistant', '3 4'),
      turn_id: 't2',
      turn_seq: 2,
      position: 2,
      created_at: at(15),
      usage: usage('0.02'),
    },
  ];
  const took = (cost: string | null) =>
    rowsOf(withItems(EMPTY_THREAD, items(cost))).flatMap((row) => (row.kind === 'answer' ? [row.took] : []));
  expect(took('0.04')).toEqual([{ ms: 10_000, usd: 0.01, tokens: 7 }, undefined, { ms: 5000, usd: 0.06, tokens: 14 }]);
  expect(took(null)[2]).toEqual({ ms: 5000, usd: undefined, tokens: 14 });
});
