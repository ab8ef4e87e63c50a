import type { ServerMessage } from './api.ts';
import { ApiError, type Client } from './client.ts';
import { pauseAfter, type Socket } from './socket.ts';
import { hasSubagents } from './subagents.ts';
import { withPage } from './thread-page.ts';
import {
  EMPTY_THREAD,
  positionOf,
  type ThreadState,
  withMessage,
  withoutGate,
  withQueue,
  withVouched,
} from './thread-state.ts';

/** A thread as it is now, and how far it is loaded. */
export type ThreadSnapshot = {
  readonly state: ThreadState;
  readonly phase: 'loading' | 'ready' | 'failed';
  readonly error: unknown;
  readonly hasOlder: boolean;
  readonly loadingOlder: boolean;
};

export type FollowedThread = ReturnType<typeof followThread>;

type Options = {
  readonly client: Client;
  readonly socket: Socket;
  readonly threadId: string;
  /** Listeners are called at most this often. */
  readonly notifyEveryMs?: number;
};

const FRAME_MS = 33;
const PAGE = 200;
const PAGE_OF_A_TURN = 40;

/** Follows one thread: first its newest items, then what happens. It starts with `open` and ends with `close`. */
export function followThread({ client, socket, threadId, notifyEveryMs = FRAME_MS }: Options) {
  const listeners = new Set<() => void>();
  let snapshot: ThreadSnapshot = {
    state: EMPTY_THREAD,
    phase: 'loading',
    error: undefined,
    hasOlder: false,
    loadingOlder: false,
  };
  let before: string | null = null;
  let notifying: ReturnType<typeof setTimeout> | undefined;
  let unsubscribe: (() => void) | undefined;
  let unwatch: (() => void) | undefined;
  let closed = false;
  let isCutOff = false;
  let queueRequests = 0;
  let isTreeStale = false;
  let loadingTree: Promise<void> | undefined;

  function change(next: Partial<ThreadSnapshot>): void {
    snapshot = { ...snapshot, ...next };
    notifying ??= setTimeout(() => {
      notifying = undefined;
      for (const listener of listeners) listener();
    }, notifyEveryMs);
  }

  const fetchItems = (query: { readonly before?: string; readonly limit: number }) =>
    client.call('GET /api/threads/{id}/items', { params: { id: threadId }, query });

  /** The page comes first: the subscription then replays its newest turn from the start, and continues from there. */
  async function open(): Promise<void> {
    closed = false;
    unwatch ??= socket.onConnection(onConnection);
    change({ phase: 'loading', error: undefined });
    try {
      const page = await fetchItems({ limit: PAGE });
      await loadQueue().catch(() => void refreshQueue());
      before = page.next_before;
      change({ state: withPage(snapshot.state, page), phase: 'ready', hasOlder: before !== null });
      void refreshTree();
      if (!closed && !unsubscribe) subscribe();
    } catch (error) {
      change({ phase: 'failed', error });
    }
  }

  /**
   * A thread that could not be loaded is loaded when the service is back. Otherwise its subscription continues, but what happened
   * meanwhile below it and in its queue is not reported again.
   */
  function onConnection(): void {
    const { state } = socket.connection();
    if (state !== 'live') isCutOff ||= state !== 'connecting';
    else if (snapshot.phase === 'failed' && isAway(snapshot.error)) void open();
    else if (snapshot.phase === 'ready' && isCutOff) {
      isCutOff = false;
      void refreshQueue();
      void refreshTree();
    }
  }

  function subscribe(): void {
    unsubscribe = socket.subscribe(threadId, {
      after: () => positionOf(snapshot.state),
      onMessage(message) {
        const state = withMessage(snapshot.state, message, Date.now());
        if (state !== snapshot.state) change({ state });
        if (
          message.type === 'thread' &&
          message.thread &&
          (message.thread.status !== 'idle' || state.queued.length > 0)
        )
          void refreshQueue();
        if (message.type === 'thread' || changesTree(message)) void refreshTree();
        if (message.type === 'turn-event' && message.event.type === 'turn-ended') void refresh();
        if (message.type === 'line' && message.line !== snapshot.state.line) void refresh(PAGE);
      },
    });
  }

  /** Loads the turns that wait. An answer that a later one has overtaken is ignored. */
  async function loadQueue(): Promise<void> {
    const own = ++queueRequests;
    const { queued } = await client.call('GET /api/threads/{id}/queue', { params: { id: threadId } });
    if (own === queueRequests) change({ state: withQueue(snapshot.state, queued) });
  }

  const refreshQueue = (): Promise<void> => untilAnswered(loadQueue);

  /** Loads what the subagents do, again if that changes meanwhile. A thread without any asks nothing. */
  async function refreshTree(): Promise<void> {
    if (!hasSubagents(snapshot.state)) return;
    isTreeStale = true;
    loadingTree ??= loadTree().finally(() => {
      loadingTree = undefined;
    });
    await loadingTree;
  }

  async function loadTree(): Promise<void> {
    while (isTreeStale && !closed) {
      const found = await untilAnswered(() => {
        isTreeStale = false;
        return client.call('GET /api/threads/{id}/tree', { params: { id: threadId } });
      });
      if (found) change({ state: { ...snapshot.state, subagents: found.nodes } });
    }
  }

  /** Stored items have more than events: their usage and exact times. */
  async function refresh(limit = PAGE_OF_A_TURN): Promise<void> {
    let { turns } = snapshot.state;
    const page = await untilAnswered(() => {
      ({ turns } = snapshot.state);
      return fetchItems({ limit });
    });
    if (!page || closed) return;
    const isSame = page.line === snapshot.state.line;
    const state = withPage(snapshot.state, page, turns);
    if (isSame) return change({ state });
    before = page.next_before;
    change({ state, hasOlder: before !== null });
    // How the turn that is the newest now has ended is known only from its events.
    if (state.turns.at(-1)?.sequence !== undefined) return;
    unsubscribe?.();
    subscribe();
  }

  /** Asks again while the service is away. Undefined if it refuses, or once the thread is closed. */
  async function untilAnswered<T>(ask: () => Promise<T>): Promise<T | undefined> {
    for (let failures = 0; !closed; failures++) {
      try {
        return await ask();
      } catch (error) {
        if (!isAway(error)) return undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseAfter(failures)));
    }
    return undefined;
  }

  function until(isSo: (state: ThreadState) => boolean): Promise<void> {
    if (isSo(snapshot.state) || closed) return Promise.resolve();
    return new Promise((resolve) => {
      const check = () => {
        if (!isSo(snapshot.state)) return;
        listeners.delete(check);
        resolve();
      };
      listeners.add(check);
    });
  }

  return {
    threadId,
    snapshot: () => snapshot,
    open,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async loadOlder(): Promise<void> {
      if (before === null || snapshot.loadingOlder) return;
      change({ loadingOlder: true });
      try {
        const page = await fetchItems({ before, limit: PAGE });
        if (page.line !== snapshot.state.line) return change({ loadingOlder: false }); // the newest page is on its way
        before = page.next_before;
        change({ state: withPage(snapshot.state, page), hasOlder: before !== null, loadingOlder: false });
      } catch (error) {
        change({ loadingOlder: false, error });
      }
    },
    refreshQueue,
    /** Shows another version of a message, and what followed it. */
    async show(turnId: string): Promise<void> {
      await client.call('POST /api/threads/{id}/versions/{turn}/show', { params: { id: threadId, turn: turnId } });
      await refresh(PAGE);
    },
    /** The person has read a message or an output, and trusts it. */
    async vouch(itemId: string): Promise<void> {
      const params = { id: threadId, item: itemId };
      await client.call('POST /api/threads/{id}/items/{item}/vouch', { params });
      change({ state: withVouched(snapshot.state, itemId) });
    },
    /** Withdraws a message that waits. */
    async withdraw(turnId: string): Promise<void> {
      await client.call('DELETE /api/threads/{id}/queue/{turn}', { params: { id: threadId, turn: turnId } });
      const { state } = snapshot;
      change({ state: { ...state, queued: state.queued.filter(({ turn_id: id }) => id !== turnId) } });
    },
    /** Lets a message that waits be read now: the running step is stopped. */
    async sendNow(turnId: string): Promise<void> {
      const params = { id: threadId, turn: turnId };
      await client.call('PATCH /api/threads/{id}/queue/{turn}', { params, body: { when_busy: 'now' } });
      await refreshQueue();
    },
    /** Resolves once the turn is part of the state, so that its message is shown exactly once. */
    turnKnown: (turnId: string): Promise<void> =>
      until(
        ({ turns, queued }) => turns.some(({ id }) => id === turnId) || queued.some(({ turn_id: id }) => id === turnId),
      ),
    /** Resolves once the turn does not run any more. */
    turnEnded: (turnId: string): Promise<void> =>
      until(({ turns }) => turns.every(({ id, status }) => id !== turnId || status !== 'running')),
    /** Stops the subagent of a call, and all below it. */
    async stopSubagent(call: string): Promise<void> {
      await client.call('POST /api/subagents/{call}/stop', { params: { call } });
      await refreshTree();
    },
    /** Hides the gate that was answered, before the service says so. */
    gateAnswered(gateId: string): void {
      change({ state: withoutGate(snapshot.state, gateId) });
    },
    close(): void {
      closed = true;
      unsubscribe?.();
      unsubscribe = undefined;
      unwatch?.();
      unwatch = undefined;
      clearTimeout(notifying);
      notifying = undefined;
    },
  };
}

/** Whether the service may answer the same request later. */
const isAway = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Whether a call was made or has an output: the service reports what happens below with the thread. */
const changesTree = (message: ServerMessage): boolean =>
  message.type === 'turn-event' && message.event.type === 'item-added' && message.event.item.type !== 'message';
