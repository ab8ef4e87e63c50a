import { EMPTY_THREAD, type MessageEntry, type TurnState } from '@reborn-agent/client/thread-state';
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
