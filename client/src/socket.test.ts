import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ServerMessage } from './api.ts';
import { openSocket } from './socket.ts';

/** The browser's WebSocket, as far as it is used, moved by hand. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static readonly CLOSED = 3;
  readyState = 0;
  readonly said: { type: string }[] = [];

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.dispatchEvent(new Event('open'));
  }

  tell(message: ServerMessage): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  send(text: string): void {
    this.said.push(JSON.parse(text) as { type: string });
  }

  close(): void {
    this.readyState = FakeSocket.CLOSED;
    this.dispatchEvent(new Event('close'));
  }
}

let made: FakeSocket[];
let online: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  made = [];
  online = true;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const start = () =>
  openSocket(
    { url: 'http://service' },
    {
      connect: () => {
        const socket = new FakeSocket();
        made.push(socket);
        return socket as unknown as WebSocket;
      },
      isOnline: () => online,
    },
  );

const newest = () => {
  const socket = made.at(-1);
  if (!socket) throw new Error('No connection was made.');
  return socket;
};

test('after a break every thread is subscribed to again, after the last event it has', () => {
  const socket = start();
  let sequence: number | undefined;
  socket.subscribe('x', {
    after: () => (sequence === undefined ? undefined : { turn_id: 't', sequence }),
    onMessage: () => {
      sequence = 7;
    },
  });
  newest().open();
  expect(newest().said).toEqual([{ type: 'subscribe', thread_id: 'x' }]);
  newest().tell({ type: 'thread', thread_id: 'x', thread: null });
  newest().close();
  expect(socket.connection().state).toBe('reconnecting');
  vi.advanceTimersByTime(1000);
  newest().open();
  expect(made).toHaveLength(2);
  expect(newest().said).toEqual([{ type: 'subscribe', thread_id: 'x', after: { turn_id: 't', sequence: 7 } }]);
  expect(socket.connection().state).toBe('live');
});

test('a connection that does not answer is given up', () => {
  const socket = start();
  newest().open();
  vi.advanceTimersByTime(15_000);
  expect(newest().said).toEqual([{ type: 'ping' }]);
  vi.advanceTimersByTime(8_000);
  expect(socket.connection().state).toBe('reconnecting');
});

test('a connection that answers is kept', () => {
  const socket = start();
  newest().open();
  vi.advanceTimersByTime(15_000);
  newest().tell({ type: 'pong' });
  vi.advanceTimersByTime(8_000);
  expect(socket.connection().state).toBe('live');
});

test('pauses grow to five seconds, and being offline needs none', () => {
  const socket = start();
  for (let tries = 0; tries < 10; tries++) {
    newest().close();
    vi.advanceTimersByTime(6_000);
  }
  expect(made).toHaveLength(11);
  online = false;
  newest().close();
  expect(socket.connection().state).toBe('offline');
  vi.advanceTimersByTime(60_000);
  expect(made).toHaveLength(11);
  online = true;
  socket.retryNow();
  newest().open();
  expect(socket.connection().state).toBe('live');
});

test('a slow reader is subscribed again', () => {
  const socket = start();
  newest().open();
  socket.subscribe('x', { after: () => ({ turn_id: 't', sequence: 3 }), onMessage: () => {} });
  newest().tell({ type: 'resubscribe', thread_id: 'x' });
  expect(newest().said.filter(({ type }) => type === 'subscribe')).toHaveLength(2);
});
