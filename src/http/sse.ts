import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { NotFound } from '#domain/errors.ts';
import { writeAll } from './server/write-all.ts';

const KEEPALIVE_MS = 15_000;

/** The frame of an event whose data has a `type`. */
export const typedFrame = (event: { readonly type: string }) => `event: ${event.type}\n${dataFrame(event)}`;

export const dataFrame = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

/**
 * Sends events as they arrive, each as one frame in one write. A slow reader slows down only `events`. When `events` ends,
 * the stream is closed; when `signal` aborts or `events` throws, it is reset: also when its turn was deleted, after which the client
 * finds nothing. `end.onSent` is called before the stream is closed, when the last event was written to the connection.
 */
export async function sendEvents<E>(
  reply: FastifyReply,
  events: AsyncIterable<E>,
  toFrame: (event: E) => string,
  signal: AbortSignal,
  end?: { isLast(event: E): boolean; onSent(): Promise<void> },
): Promise<void> {
  const { raw } = reply.hijack();
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...(reply.getHeaders() as Record<string, string>),
  });
  raw.flushHeaders();
  const keepalive = setInterval(() => {
    if (!raw.writableNeedDrain) raw.write(': keepalive\n\n');
  }, KEEPALIVE_MS);
  try {
    for await (const event of events) {
      if (signal.aborted) break;
      const frame = toFrame(event);
      if (end?.isLast(event)) {
        if (await writeAll(raw, frame)) await end.onSent();
      } else if (!raw.write(frame)) await once(raw, 'drain', { signal });
    }
    if (signal.aborted) raw.destroy();
    else raw.end();
  } catch (error) {
    raw.destroy();
    if (!signal.aborted && !(error instanceof NotFound)) throw error;
  } finally {
    clearInterval(keepalive);
  }
}
