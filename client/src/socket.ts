import type { ClientMessage, ServerMessage } from './api.ts';
import type { Endpoint, Locate } from './client.ts';

export type Connection =
  | { readonly state: 'connecting' | 'live' | 'offline' }
  /** `at`: the time of the next try, in milliseconds. */
  | { readonly state: 'reconnecting'; readonly at: number };

/** The last event that a subscriber has of a thread. Without a sequence, the turn is replayed from its start. */
export type Position = NonNullable<Extract<ClientMessage, { type: 'subscribe' }>['after']>;

export type Subscriber = {
  /** Called whenever the subscription is made again. */
  readonly after: () => Position | undefined;
  readonly onMessage: (message: ServerMessage) => void;
};

/** The part of a WebSocket that is used. Browsers, Node and the package `ws` all have it. */
export type WebSocketLike = {
  readonly readyState: number;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  send(text: string): void;
  close(): void;
  /** Ends the connection without waiting for the other side, where the implementation has it. */
  terminate?(): void;
};

export type SocketOptions = {
  /** Opens a WebSocket. The default is the global one; with a token that works in Node only, since browsers send no headers. */
  readonly connect?: (url: string, endpoint: Endpoint) => WebSocketLike;
  readonly isOnline?: () => boolean;
  readonly longestPauseMs?: number;
};

export type Socket = ReturnType<typeof openSocket>;

const OPEN = 1;
const CLOSED = 3;
const OPEN_WITHIN_MS = 10_000;
const PING_EVERY_MS = 15_000;
const ANSWER_WITHIN_MS = 8_000;
const LONGEST_PAUSE_MS = 5_000;

/** How long to wait before the service is asked again: twice as long after each failure, and never the same for all clients. */
export const pauseAfter = (failures: number, longestMs = LONGEST_PAUSE_MS): number =>
  Math.min(250 * 2 ** failures, longestMs) * (0.8 + Math.random() * 0.4);

/**
 * One connection for a whole app. When it breaks it is made again, and every subscribed thread continues after the last
 * event that its subscriber has: nothing is missed and nothing comes twice.
 */
export function openSocket(endpoint: Endpoint | Locate, options: SocketOptions = {}) {
  const { connect: openAt = connectGlobal, isOnline = () => true, longestPauseMs = LONGEST_PAUSE_MS } = options;
  const subscribers = new Map<string, Subscriber>();
  const listeners = new Set<(message: ServerMessage) => void>();
  const watchers = new Set<() => void>();
  let connection: Connection = { state: 'connecting' };
  let socket: WebSocketLike | undefined;
  let tries = 0;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pinging: ReturnType<typeof setInterval> | undefined;
  let heardAt = 0;
  let closed = false;

  connect();

  function connect(): void {
    clearTimeout(timer);
    const own = ++tries;
    const at = typeof endpoint === 'function' ? endpoint() : endpoint;
    if (!(at instanceof Promise)) return open(at);
    at.then(
      (found) => own === tries && open(found),
      () => own === tries && retryLater(),
    );
  }

  function open(at: Endpoint | undefined): void {
    if (closed) return;
    if (!at) return retryLater();
    const opened = openAt(`${at.url.replace(/^http/, 'ws')}/api/ws`, at);
    socket = opened;
    timer = setTimeout(abandon, OPEN_WITHIN_MS);
    opened.addEventListener('open', () => {
      if (opened !== socket) return;
      clearTimeout(timer);
      failures = 0;
      heardAt = Date.now();
      for (const [threadId, subscriber] of subscribers) subscribeNow(threadId, subscriber);
      pinging = setInterval(ping, PING_EVERY_MS);
      show({ state: 'live' });
    });
    opened.addEventListener('message', (event) => {
      if (opened === socket) receive(JSON.parse(String(event.data)) as ServerMessage);
    });
    opened.addEventListener('error', () => {}); // `close` follows
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

  /** A connection can die silently, so one that does not answer is given up. */
  function ping(): void {
    const askedAt = Date.now();
    const asked = socket;
    send({ type: 'ping' });
    setTimeout(() => {
      if (heardAt < askedAt && asked === socket && socket?.readyState === OPEN) abandon();
    }, ANSWER_WITHIN_MS);
  }

  function abandon(): void {
    const former = socket;
    socket = undefined;
    if (former) end(former);
    retryLater();
  }

  function retryLater(): void {
    clearInterval(pinging);
    clearTimeout(timer);
    if (closed) return;
    if (!isOnline()) return show({ state: 'offline' });
    const pause = pauseAfter(failures++, longestPauseMs);
    timer = setTimeout(connect, pause);
    show({ state: 'reconnecting', at: Date.now() + pause });
  }

  function subscribeNow(threadId: string, subscriber: Subscriber): void {
    const after = subscriber.after();
    send({ type: 'subscribe', thread_id: threadId, ...(after && { after }) });
  }

  function send(message: ClientMessage): boolean {
    if (socket?.readyState !== OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  }

  function show(next: Connection): void {
    connection = next;
    for (const watcher of watchers) watcher();
  }

  return {
    /** Sends a message now. Returns false, and drops it, while disconnected. */
    send,
    connection: () => connection,
    onConnection: (watcher: () => void): (() => void) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    onMessage(listener: (message: ServerMessage) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Receives the messages about a thread, across reconnects, until the returned function is called. */
    subscribe(threadId: string, subscriber: Subscriber): () => void {
      subscribers.set(threadId, subscriber);
      subscribeNow(threadId, subscriber);
      return () => {
        if (subscribers.get(threadId) !== subscriber) return;
        subscribers.delete(threadId);
        send({ type: 'unsubscribe', thread_id: threadId });
      };
    },
    /** Tries at once, for example because the network is back. */
    retryNow(): void {
      if (!closed && (socket === undefined || socket.readyState === CLOSED)) connect();
    },
    /** Gives the connection up, because the network is gone. */
    lost(): void {
      if (socket?.readyState === OPEN) abandon();
      else show({ state: 'offline' });
    },
    close(): void {
      closed = true;
      clearTimeout(timer);
      clearInterval(pinging);
      if (socket) end(socket);
    },
  };
}

function connectGlobal(url: string, { token, headers, protocols = [] }: Endpoint): WebSocketLike {
  if (token === undefined) return new WebSocket(url, [...protocols]);
  const init = { headers: { ...headers, authorization: `Bearer ${token}` }, protocols: [...protocols] };
  return new (WebSocket as unknown as new (url: string, init: object) => WebSocketLike)(url, init);
}

function end(socket: WebSocketLike): void {
  if (socket.terminate) socket.terminate();
  else socket.close();
}

function threadOf(message: ServerMessage): string | undefined {
  return 'thread_id' in message ? message.thread_id : undefined;
}
