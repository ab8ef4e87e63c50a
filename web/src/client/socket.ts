import type { ClientMessage, ServerMessage } from '@reborn-agent/client/api';

export type Connection =
  | { readonly state: 'live' | 'connecting' | 'offline' }
  /** `at`: when the next try is made, in milliseconds. */
  | { readonly state: 'reconnecting'; readonly at: number };

/** The last event a subscriber has of a thread. Without a sequence the turn is told from its start. */
export type Position = { readonly turn_id: string; readonly sequence?: number };

type Subscriber = { readonly after: () => Position | undefined; readonly onMessage: (message: ServerMessage) => void };

export type Socket = ReturnType<typeof openSocket>;

/** The parts of the browser that it stands on, so that a test can stand in for them. */
export type Surroundings = {
  readonly connect: () => WebSocket;
  readonly isOnline: () => boolean;
};

const PING_EVERY_MS = 15_000;
const ANSWER_WITHIN_MS = 8_000;
const LONGEST_PAUSE_MS = 5_000;

/**
 * One connection for the whole app. When it breaks it is made again, and every thread that is watched goes on after the
 * last event its watcher has: nothing is missed and nothing comes twice.
 */
export function openSocket(surroundings: Surroundings) {
  const subscribers = new Map<string, Subscriber>();
  const listeners = new Set<(message: ServerMessage) => void>();
  const watchers = new Set<() => void>();
  let connection: Connection = { state: 'connecting' };
  let socket: WebSocket | undefined;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heart: ReturnType<typeof setInterval> | undefined;
  let heardAt = 0;
  let closed = false;

  connect();

  function connect(): void {
    clearTimeout(timer);
    const opened = surroundings.connect();
    socket = opened;
    opened.addEventListener('open', () => {
      failures = 0;
      heardAt = Date.now();
      for (const [threadId, subscriber] of subscribers) subscribeNow(threadId, subscriber);
      heart = setInterval(beat, PING_EVERY_MS);
      show({ state: 'live' });
    });
    opened.addEventListener('message', (event) => {
      if (opened === socket) receive(JSON.parse(String(event.data)) as ServerMessage);
    });
    opened.addEventListener('close', () => {
      if (opened === socket) retryLater();
    });
  }

  function receive(message: ServerMessage): void {
    heardAt = Date.now();
    for (const listener of listeners) listener(message);
    const threadId = threadOf(message);
    const subscriber = threadId === undefined ? undefined : subscribers.get(threadId);
    if (threadId === undefined || !subscriber) return;
    if (message.type === 'resubscribe') subscribeNow(threadId, subscriber);
    else subscriber.onMessage(message);
  }

  /** A connection can die without a word; one that does not answer is given up. */
  function beat(): void {
    const askedAt = Date.now();
    say({ type: 'ping' });
    setTimeout(() => {
      if (heardAt < askedAt && socket?.readyState === WebSocket.OPEN) abandon();
    }, ANSWER_WITHIN_MS);
  }

  function abandon(): void {
    const given = socket;
    socket = undefined;
    given?.close();
    retryLater();
  }

  function retryLater(): void {
    clearInterval(heart);
    clearTimeout(timer);
    if (closed) return;
    if (!surroundings.isOnline()) return show({ state: 'offline' });
    const pause = Math.min(250 * 2 ** failures++, LONGEST_PAUSE_MS) * (0.8 + Math.random() * 0.4);
    timer = setTimeout(connect, pause);
    show({ state: 'reconnecting', at: Date.now() + pause });
  }

  function subscribeNow(threadId: string, subscriber: Subscriber): void {
    const after = subscriber.after();
    say({ type: 'subscribe', thread_id: threadId, ...(after && { after }) });
  }

  function say(message: ClientMessage): boolean {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  }

  function show(next: Connection): void {
    connection = next;
    for (const watcher of watchers) watcher();
  }

  return {
    say,
    connection: () => connection,
    onConnection: (watcher: () => void): (() => void) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    onMessage(listener: (message: ServerMessage) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    subscribe(threadId: string, subscriber: Subscriber): () => void {
      subscribers.set(threadId, subscriber);
      subscribeNow(threadId, subscriber);
      return () => {
        if (subscribers.get(threadId) !== subscriber) return;
        subscribers.delete(threadId);
        say({ type: 'unsubscribe', thread_id: threadId });
      };
    },
    /** Tries at once: the network is back, or the person is. */
    retryNow(): void {
      if (!closed && (socket === undefined || socket.readyState === WebSocket.CLOSED)) connect();
    },
    lost(): void {
      if (socket?.readyState === WebSocket.OPEN) abandon();
      else show({ state: 'offline' });
    },
    close(): void {
      closed = true;
      clearTimeout(timer);
      clearInterval(heart);
      socket?.close();
    },
  };
}

function threadOf(message: ServerMessage): string | undefined {
  if (message.type === 'gate') return message.gate.thread_id;
  return 'thread_id' in message ? message.thread_id : undefined;
}
