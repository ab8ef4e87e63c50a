import { expect, test, vi } from 'vitest';
import type { ThreadItem, TreeNode } from './api.ts';
import { ApiError, type Client } from './client.ts';
import { followThread } from './follow-thread.ts';
import type { Connection, Socket } from './socket.ts';

const CALL: ThreadItem = {
  id: 'call',
  type: 'function_call',
  call_id: 'c',
  name: 'reborn_agent_run',
  arguments: '{}',
  external: false,
  started_at: null,
  ended_at: null,
  turn_id: 'turn',
  turn_seq: 1,
  position: 0,
  attempt: 1,
  usage: null,
  created_at: '2026-01-01T00:00:00.000Z',
};
const PAGE = { items: [CALL], line: 0, versions: [], refused: [], steered: [], next_before: null };

/** A thread with a subagent, whose service answers each route as given, and whose connection the test breaks. */
function openThread(answers: { readonly tree: () => Partial<TreeNode>; readonly queue?: () => unknown[] }) {
  let connection: Connection = { state: 'live' };
  const watchers = new Set<() => void>();
  const call = async (route: string) => {
    if (route.endsWith('/items')) return PAGE;
    if (route.endsWith('/queue')) return { queued: answers.queue?.() ?? [] };
    return route.startsWith('POST') ? undefined : { nodes: [{ call: 'call', gate: null, ...answers.tree() }] };
  };
  const thread = followThread({
    client: { call } as unknown as Client,
    socket: {
      subscribe: () => () => {},
      onConnection: (watcher: () => void) => {
        watchers.add(watcher);
        return () => watchers.delete(watcher);
      },
      connection: () => connection,
    } as unknown as Socket,
    threadId: 'thread',
  });
  return {
    thread,
    connect: (state: 'live' | 'offline'): void => {
      connection = { state };
      for (const watcher of watchers) watcher();
    },
    subagents: () => thread.snapshot().state.subagents.map(({ state }) => state),
  };
}

test('what happened below a thread and in its queue while the connection was lost is asked for', async () => {
  let state: TreeNode['state'] = 'active';
  let queued: object[] = [];
  const { thread, connect, subagents } = openThread({ tree: () => ({ state }), queue: () => queued });
  await thread.open();
  await vi.waitFor(() => expect(subagents()).toEqual(['active']));

  connect('offline');
  [state, queued] = ['ended', [{ turn_id: 'next' }]];
  connect('live');
  await vi.waitFor(() => expect(subagents()).toEqual(['ended']));
  await vi.waitFor(() => expect(thread.snapshot().state.queued).toEqual(queued));
  thread.close();
});

test('a thread is shown while its queue can not be read, and the queue once it can', async () => {
  let isAway = true;
  const { thread } = openThread({
    tree: () => ({ state: 'active' }),
    queue: () => {
      if (isAway) throw new ApiError({ status: 503, code: 'away', message: '' });
      return [{ turn_id: 'next' }];
    },
  });
  await thread.open();
  expect(thread.snapshot().phase).toBe('ready');
  isAway = false;
  await vi.waitFor(() => expect(thread.snapshot().state.queued).toEqual([{ turn_id: 'next' }]), 20_000);
  thread.close();
});

test('the service is asked again while it can not answer, but not after it has refused', async () => {
  const errors = [503, 0, 429].map((status) => new ApiError({ status, code: 'away', message: '' }));
  const { thread, subagents } = openThread({
    tree: () => {
      const error = errors.shift();
      if (error) throw error;
      return { state: 'waiting' };
    },
  });
  await thread.open();
  await vi.waitFor(() => expect(subagents()).toEqual(['waiting']), 20_000);
  thread.close();

  const ask = vi.fn(() => {
    throw new ApiError({ status: 404, code: 'not_found', message: '' });
  });
  const refused = openThread({ tree: ask });
  await refused.thread.open();
  await vi.waitFor(() => expect(ask).toHaveBeenCalled());
  await refused.thread.stopSubagent('call');
  expect(ask).toHaveBeenCalledTimes(2);
  refused.thread.close();
});
