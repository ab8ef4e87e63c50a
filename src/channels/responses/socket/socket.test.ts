import type { FastifyRequest } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import type { ServeSocket } from '#http/socket/web-sockets.ts';
import type { SessionServices } from './session.ts';
import { serveResponsesSockets } from './socket.ts';

afterEach(() => void vi.useRealTimers());

test('a socket is closed after an hour, with the error that makes clients connect again', () => {
  vi.useFakeTimers();
  const openers: Parameters<ServeSocket>[1][] = [];
  const serve = ((_: string, opener: Parameters<ServeSocket>[1]) => void openers.push(opener)) as ServeSocket;
  serveResponsesSockets(serve, {} as SessionServices);
  const connection = { closed: new AbortController().signal, send: vi.fn(async () => {}), close: vi.fn() };
  const request = { principal: { userId: 'ann' }, server: { closing: new AbortController().signal } };

  openers[0]?.(connection as never, request as unknown as FastifyRequest);
  vi.advanceTimersByTime(3_599_999);
  expect(connection.close).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);

  expect(connection.send).toHaveBeenCalledWith(
    expect.objectContaining({ error: expect.objectContaining({ code: 'websocket_connection_limit_reached' }) }),
  );
  expect(connection.close).toHaveBeenCalledWith(1001, expect.stringContaining('60 minutes'));
});
