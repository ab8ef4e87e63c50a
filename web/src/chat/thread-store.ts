import type { ItemList } from '@reborn-agent/client/api';
import type { Socket } from '../client/socket.ts';
import { EMPTY_LOG, positionOf, type ThreadLog, withEvent, withGate, withItems } from './thread-log.ts';

export type ThreadState = {
  readonly log: ThreadLog;
  readonly phase: 'loading' | 'ready' | 'failed';
  readonly error: unknown;
  readonly hasOlder: boolean;
  readonly loadingOlder: boolean;
};

export type ThreadStore = ReturnType<typeof createThreadStore>;

type Parts = {
  readonly threadId: string;
  readonly socket: Socket;
  readonly fetchItems: (options: { readonly before?: string; readonly limit: number }) => Promise<ItemList>;
};

/** Frames are short; what comes within one is shown together. */
const SHOW_EVERY_MS = 33;
const PAGE = 200;
const PAGE_OF_A_TURN = 40;

/** Follows one thread: its newest page first, then what happens. */
export function createThreadStore({ threadId, socket, fetchItems }: Parts) {
  const listeners = new Set<() => void>();
  let state: ThreadState = { log: EMPTY_LOG, phase: 'loading', error: undefined, hasOlder: false, loadingOlder: false };
  let before: string | null = null;
  let shown: ReturnType<typeof setTimeout> | undefined;
  let stop: (() => void) | undefined;
  let ended = false;

  function change(next: Partial<ThreadState>): void {
    state = { ...state, ...next };
    shown ??= setTimeout(() => {
      shown = undefined;
      for (const listener of listeners) listener();
    }, SHOW_EVERY_MS);
  }

  /** The page comes first: the subscription then tells its newest turn again, from the start, and all that follows. */
  async function open(): Promise<void> {
    ended = false;
    change({ phase: 'loading', error: undefined });
    try {
      const page = await fetchItems({ limit: PAGE });
      before = page.next_before;
      change({ log: withItems(state.log, page.items), phase: 'ready', hasOlder: before !== null });
      if (!ended && !stop) follow();
    } catch (error) {
      change({ phase: 'failed', error });
    }
  }

  /** Stored items know more than events do: what they cost, and when exactly they were made. */
  async function settle(): Promise<void> {
    const page = await fetchItems({ limit: PAGE_OF_A_TURN }).catch(() => undefined);
    if (page && !ended) change({ log: withItems(state.log, page.items) });
  }

  function follow(): void {
    stop = socket.subscribe(threadId, {
      after: () => positionOf(state.log),
      onMessage(message) {
        if (message.type === 'turn-event') {
          change({ log: withEvent(state.log, message, Date.now()) });
          if (message.event.type === 'turn-ended') void settle();
        }
        if (message.type === 'gate') change({ log: withGate(state.log, message.gate) });
      },
    });
  }

  return {
    state: () => state,
    open,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async loadOlder(): Promise<void> {
      if (before === null || state.loadingOlder) return;
      change({ loadingOlder: true });
      try {
        const page = await fetchItems({ before, limit: PAGE });
        before = page.next_before;
        change({ log: withItems(state.log, page.items), hasOlder: before !== null, loadingOlder: false });
      } catch (error) {
        change({ loadingOlder: false, error });
      }
    },
    /** Resolves once the turn is part of what is known, so that nothing shows twice or not at all. */
    heardOf(turnId: string): Promise<void> {
      const isKnown = () => state.log.turns.some(({ id }) => id === turnId);
      if (isKnown() || ended) return Promise.resolve();
      return new Promise((resolve) => {
        const check = () => {
          if (!isKnown()) return;
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
      });
    },
    gateAnswered(): void {
      change({ log: withGate(state.log, undefined) });
    },
    close(): void {
      ended = true;
      stop?.();
      stop = undefined;
      clearTimeout(shown);
      shown = undefined;
    },
  };
}
