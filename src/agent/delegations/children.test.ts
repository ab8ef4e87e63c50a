import { expect, test } from 'vitest';
import { AGENT_RUN } from '#domain/delegation/delegation.ts';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import type { Item } from '#domain/thread/item.ts';
import { createChildren } from './children.ts';

type Parts = Parameters<typeof createChildren>[0];

const position = { threadId: 't' as ThreadId, usage: null, startedAt: new Date(), attempt: 0 };
const callOf = (id: string, turnSeq: number, at: number): Item => {
  const body = { type: 'function_call', external: false, callId: id, name: AGENT_RUN, arguments: '{}' } as const;
  return { ...position, id: id as ItemId, turnId: `turn ${turnSeq}` as TurnId, turnSeq, position: at, ...body };
};

test('a child that a message has cut off is not awaited by the later turns of its run', async () => {
  const unreported = [
    { call: 'cut off', state: 'ended', outcome: 'cancelled' },
    { call: 'second', state: 'ended', outcome: 'completed' },
  ].map((child) => ({ ...child, tokensUsed: 0, usdUsed: 0, failure: null, last: null }));
  const first = callOf('cut off', 1, 1);
  const closed: Item = {
    ...first,
    position: 2,
    id: 'closed' as ItemId,
    type: 'function_call_output',
    callId: 'cut off',
    output: [],
    reads: {},
  };
  const history = [first, closed, callOf('second', 2, 1)];
  const children = createChildren({
    turn: { userId: 'ann' },
    run: { children: { list: async () => unreported } },
    items: { thread: history, append: async () => [] },
    safety: { receive: async (_owner: unknown, _tool: string, texts: string[]) => texts },
    outputOf: () => ({}),
    spending: { addBelow: () => {} },
  } as unknown as Parts);

  await children.find(history);
  expect(children.areUnreported()).toBe(true);
  await children.takeReports();

  expect(children.areUnreported()).toBe(false); // or no message could steer the turn any more
});
