import { once } from 'node:events';
import type { FastifyReply } from 'fastify';

export type SseEvent = { readonly type: string };

const KEEPALIVE_MS = 15_000;

/**
 * Sends events as they arrive, each in one write; `event:` equals the data's `type`. A slow reader slows down only
 * `events`. When `events` ends, the stream is closed; when `signal` aborts or `events` throws, it is reset.
 */
export async function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<SseEvent>,
  signal: AbortSignal,
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
      if (!raw.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)) await once(raw, 'drain', { signal });
    }
    if (signal.aborted) raw.destroy();
    else raw.end();
  } catch (error) {
    raw.destroy();
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(keepalive);
  }
}
