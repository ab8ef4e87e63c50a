import type { OpenGate } from '@reborn-agent/client/api';
import { EMPTY_THREAD, type ThreadState } from '@reborn-agent/client/thread-state';
import type { CallEntry, MessageEntry } from '@reborn-agent/client/turn-entries';
import type { TurnState } from '@reborn-agent/client/turn-state';
import { expect, test } from 'vitest';
import { createEntryList } from './entries.ts';

const message = (id: string, role: 'user' | 'assistant'): MessageEntry => ({
  kind: 'message',
  id,
  role,
  text: id,
  parts: [{ type: 'text', text: id }],
  state: 'completed',
  usage: null,
  at: undefined,
  attempt: null,
});
const LOCAL = { notes: [], answered: [], unticked: new Set<string>(), pending: [], cards: new Map() };
const position = { number: 2, count: 2, previous: 'other', next: null };
const versions = new Map([['turn', { turn_id: 'turn', message: null, answer: position }]]);

test('the number of an answer is at its message until there is an answer, and then at the answer alone', () => {
  const list = createEntryList();
  const show = (...entries: MessageEntry[]) => {
    const turn = { id: 'turn', seq: 1, status: 'completed', entries } as unknown as TurnState;
    return list({ ...EMPTY_THREAD, turns: [turn], versions }, LOCAL).map((entry) => ({ version: undefined, ...entry }));
  };
  const asked = message('asked', 'user');
  expect(show(asked)).toMatchObject([{ id: 'asked', version: '2/2' }]);
  expect(show(asked, message('answer', 'assistant'))).toMatchObject([
    { id: 'asked', version: undefined },
    { id: 'answer', version: '2/2', previous: 'other', next: null },
  ]);
});

test('what a subagent waits for is asked below its call, until this terminal has answered it', () => {
  const call = { kind: 'call', id: 'call', callId: 'c', name: 'reborn_agent_run', arguments: '{}' } as CallEntry;
  const turn = { id: 'turn', seq: 1, status: 'running', entries: [call, message('next', 'assistant')] };
  const gate = { id: 'gate', kind: 'approval', turn_id: 'turn of the subagent', calls: [] } as unknown as OpenGate;
  const child = { call: 'call', thread_id: 'child', parent_id: 'thread', state: 'waiting', gate };
  const state = { ...EMPTY_THREAD, turns: [turn], subagents: [child] } as unknown as ThreadState;
  const shown = (answered: { gate: OpenGate; answer: string }[]) =>
    createEntryList()(state, { ...LOCAL, answered }).map(({ kind }) => kind);
  expect(shown([])).toEqual(['tool', 'gate', 'said']);
  expect(shown([{ gate, answer: 'approved' }])).toEqual(['tool', 'said']);
});

test('a call of a thread that is opened has no state until the service says whether its turn runs', () => {
  const call = { kind: 'call', id: 'call', callId: 'c', name: 'send', arguments: '{}' } as CallEntry;
  const made = [message('asked', 'user'), call];
  const stateOf = (...turns: Pick<TurnState, 'status' | 'entries'>[]) => {
    const numbered = turns.map((turn, index) => ({ ...turn, id: `turn ${index}`, seq: index }));
    const state = { ...EMPTY_THREAD, turns: numbered } as unknown as ThreadState;
    return createEntryList()(state, LOCAL).flatMap((entry) => (entry.kind === 'tool' ? [entry.state] : []));
  };
  expect(stateOf({ status: 'unknown', entries: made })).toEqual(['unknown']);
  expect(stateOf({ status: 'running', entries: made })).toEqual(['running']);
  expect(stateOf({ status: 'cancelled', entries: made })).toEqual(['stopped']);

  // A call that was approved runs in the turn after its own, whose events are not sent again.
  expect(stateOf({ status: 'unknown', entries: made }, { status: 'unknown', entries: [] })).toEqual(['unknown']);
  expect(stateOf({ status: 'unknown', entries: made }, { status: 'running', entries: [] })).toEqual(['running']);
  expect(stateOf({ status: 'unknown', entries: made }, { status: 'ended', entries: [] })).toEqual(['stopped']);
  const next = [message('next', 'user')];
  expect(stateOf({ status: 'unknown', entries: made }, { status: 'running', entries: next })).toEqual(['stopped']);
});
